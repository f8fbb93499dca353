import type { EffectiveConfig, EffectiveValue, ValueOrigin } from '../../engine/config/index.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

/** The effective configuration: as JSON, or one line a value with its origin. */
export function renderEffective(effective: EffectiveConfig, style: Style): string {
  const { values } = effective;
  if (values === undefined) return `${renderJson(effective.config)}\n`;
  return values.map((value) => `${renderValue(value, style)}\n`).join('');
}

/** JSON that holds nothing a terminal would act upon. */
export function renderJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2) ?? 'null';
  return json.split('\n').map(safeLine).join('\n');
}

function renderValue({ path, value, origins }: EffectiveValue, style: Style): string {
  const origin = origins.map(renderOrigin).join(' + ');
  return `${safeLine(path)} = ${safeLine(JSON.stringify(value) ?? 'null')}  ${style.dim(`# ${origin}`)}`;
}

function renderOrigin(origin: ValueOrigin): string {
  if (origin.kind === 'default') return 'default';
  return `${safeLine(origin.location.file)}:${origin.location.line} ${origin.scope}`;
}
