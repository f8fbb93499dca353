import * as z from 'zod/mini';
import {
  type DocumentOf,
  diffSchema,
  documentSchema,
  field,
  listField,
  objectField,
  objectOrNullField,
} from '../errors/output-schema.js';
import { AGENT_IDS } from './agent.js';

const scope = z.enum(['project', 'user']);

/** `svc integrate AGENT --json`. */
export const integrateOutputSchema = documentSchema({
  agent: field(z.enum(AGENT_IDS), 'The agent.'),
  scope: field(scope, '`project`: the configuration of the current folder. `user`: yours.'),
  action: field(z.enum(['add', 'remove']), '`remove` with `--remove`.'),
  written: field.flag('False with `--dry-run`, and when nothing had to change.'),
  server: objectField('The memory server that the agent uses.', {
    name: field.text('Its name in the agent.'),
    command: field.texts('The program and its arguments; empty for a remote server.'),
    env: field(z.record(z.string(), z.string()), 'Variables in addition to those of the agent.'),
    url: field.textOrNull('The URL of a remote server, else `null`.'),
    tokenEnv: field.textOrNull(
      'The variable with the bearer token for it; `null` without `--token-env`.',
    ),
  }),
  hook: field.textOrNull(
    'The line that the agent runs before each turn; `null` without `--active-memory`.',
  ),
  capture: field.textOrNull(
    'The line that the agent runs before it compacts a conversation and at the end of a session; `null` without `--capture`.',
  ),
  changes: listField('Empty when everything is up to date.', {
    file: field.text('Absolute path.'),
    part: field(
      z.enum(['capture', 'hook', 'server', 'settings']),
      '`capture`: a command that captures what was decided. `hook`: the command before each turn. `server`: the tools. `settings`: active memory in `svc.json`.',
    ),
    change: field(z.enum(['add', 'remove', 'update']), 'What happens to the entry.'),
    diff: field(diffSchema, 'The lines that change, with the values of other entries hidden.'),
  }),
});

/** What an active memory hook does in a folder. */
export const hookEffectFields = {
  recalls: field.flag('Whether it recalls anything.'),
  why: field.textOrNull('Why it recalls nothing; `null` when it does.'),
  hint: field.textOrNull('What to do about it, or `null`.'),
};

/** `svc integrate --list --json`. */
export const integrationsOutputSchema = documentSchema({
  scope: field(scope, '`project`: the configuration of the current folder. `user`: yours.'),
  agents: listField('Sorted by agent.', {
    agent: field(z.enum(AGENT_IDS), 'The agent.'),
    detected: field.flag('Whether it was found on this machine.'),
    file: field.text('Absolute path of the file with its servers.'),
    servers: field.texts('The names of the svc servers registered there.'),
    moved: listField(
      'Those of `servers` that do not work, because svc or Node.js has moved or the memory is gone.',
      {
        name: field.text('Its name in the agent.'),
        missing: field.text('A path in its entry, or `agent NAME`, that does not exist.'),
        hint: field.text('What to do about it.'),
      },
    ),
    hookFile: field.textOrNull(
      'Absolute path of the file for hooks; `null` where the agent supports neither active memory nor capturing.',
    ),
    hook: field.flag('Whether active memory is registered.'),
    activeMemory: objectOrNullField(
      'What the hook does in this folder; `null` without one.',
      hookEffectFields,
    ),
    captures: field.flag('Whether capture hooks are registered.'),
    captureMoved: objectOrNullField(
      'Set if a capture hook does not work, because svc or Node.js has moved or the memory is gone.',
      {
        missing: field.text('A path in a capture hook, or `agent NAME`, that does not exist.'),
        hint: field.text('What to do about it.'),
      },
    ),
    error: objectOrNullField('Why a file could not be read, or `null`.', {
      code: field.text('See [errors.md](errors.md).'),
      message: field.text('For people.'),
    }),
  }),
});

export type IntegrateOutput = DocumentOf<typeof integrateOutputSchema>;
export type IntegrationsOutput = DocumentOf<typeof integrationsOutputSchema>;
