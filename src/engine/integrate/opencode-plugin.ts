import { isRecord, parsedJson } from '../support/text.js';
import type { ProgramCall } from './agent.js';
import { variableWords } from './program.js';

const MARK = '// svc memory capture --agent-hook opencode';

/**
 * The plugin with which OpenCode runs svc: "Plugins" (opencode.ai/docs/plugins). A plugin is a function that returns
 * hooks. `event` gets `session.idle` when the agent has answered, with `properties.sessionID` (`@opencode-ai/sdk`,
 * `EventSessionIdle`); `experimental.session.compacting` runs before a conversation is compacted, with `sessionID`
 * (`@opencode-ai/plugin`). No event tells that a conversation has ended.
 */
export function opencodePlugin({ words, env }: ProgramCall): string {
  return `${MARK}
// Written by "svc integrate opencode --capture", and removed by "svc integrate opencode --remove".
import { spawn } from 'node:child_process';

const call = ${JSON.stringify({ words, env })};

function capture(session, cwd) {
  if (typeof session !== 'string') return;
  const [command, ...args] = [...call.words, \`--session=\${session}\`];
  const env = { ...process.env, ...call.env };
  spawn(command, args, { cwd, env, detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

export const SvcCapture = async ({ directory }) => ({
  event: async ({ event }) => {
    if (event.type === 'session.idle') capture(event.properties?.sessionID, directory);
  },
  'experimental.session.compacting': async (input) => capture(input?.sessionID, directory),
});
`;
}

/** The command that a plugin of svc runs, after its variables; undefined for a text that svc did not write. */
export function opencodePluginWords(text: string): readonly string[] | undefined {
  if (!text.startsWith(MARK)) return undefined;
  const call = parsedJson(/^const call = (?<call>\{.*\});$/mu.exec(text)?.groups?.['call'] ?? '');
  const { words, env } = isRecord(call) ? call : {};
  const command = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  return [...variableWords(env), ...command];
}
