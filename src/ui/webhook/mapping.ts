import type { MapOutput, RotateOutput } from '../../engine/webhooks/index.js';
import { renderJson } from '../config/config-text.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

/** What a route would do with a request. */
export function renderMapping(output: MapOutput, { style }: { readonly style: Style }): string {
  const { event, error, rule, outcome, action } = output;
  const facts: readonly (readonly [string, string])[] = [
    ['verified', verifiedWords(output, style)],
    ...(event === null ? [] : [['event', safeLine(event)] as const]),
    ...(rule === null ? [] : [['rule', String(rule)] as const]),
    ['outcome', error === null ? safeLine(outcome) : style.fault(`${outcome}: ${safeLine(error)}`)],
  ];
  const lines = facts.map(([name, value]) => `${style.dim(name.padEnd(9))} ${value}`);
  const actions = (action ?? []).map((one) => renderJson(one).trimEnd());
  return `${[...lines, ...actions].join('\n')}\n`;
}

function verifiedWords({ verified, reason }: MapOutput, style: Style): string {
  if (verified === null) return style.dim(`unknown. ${safeLine(reason ?? '')}`);
  return verified ? style.ok('yes') : style.fault(`no. ${safeLine(reason ?? '')}`);
}

/** The valid secrets of a route, and what to do next. */
export function renderRotation({ route, file, secrets, next }: RotateOutput): string {
  const valid = secrets.map((source) => `  ${safeLine(source)}`);
  return `${[
    ...(file === null ? [] : [`changed ${safeLine(file)}`]),
    `valid secrets of route ${safeLine(route)}, the newest first:`,
    ...valid,
    'next:',
    ...next.map((step, at) => `  ${at + 1}. ${safeLine(step)}`),
  ].join('\n')}\n`;
}
