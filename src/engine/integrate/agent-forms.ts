import type { CommandHooks, ProgramCall, ServerFormat } from './agent.js';
import type { EntryValue } from './edit/document-editor.js';
import { shellLine } from './program.js';

/* The forms of servers and hooks that the files of several agents have in common. */

type EntryShape = Pick<ServerFormat, 'entry' | 'envKey' | 'words'>;

/**
 * The most common form: `command`, `args` and `env`.
 *
 * @param leading keys before them in an entry
 */
export function commandAndArgs(leading: Readonly<Record<string, EntryValue>> = {}): EntryShape {
  return {
    envKey: 'env',
    entry: ({ words: [command, ...args], env }) => ({
      ...leading,
      command,
      args,
      ...(Object.keys(env).length === 0 ? {} : { env }),
    }),
    words: ({ command, args }) => [...textsOf([command]), ...textsOf(args)],
  };
}

/** The form with one list of the program and its arguments. */
export function commandList(leading: Readonly<Record<string, EntryValue>>): EntryShape {
  return {
    envKey: 'environment',
    entry: ({ words, env }: ProgramCall) => ({
      ...leading,
      command: words,
      ...(Object.keys(env).length === 0 ? {} : { environment: env }),
    }),
    words: ({ command }) => textsOf(command),
  };
}

/**
 * A URL with the token in a header.
 *
 * @param reference how the agent's configuration refers to a variable
 * @param leading keys before the URL in an entry
 */
export function urlAndHeaders(
  urlKey: string,
  reference: (variable: string) => string,
  leading: Readonly<Record<string, EntryValue>> = {},
): Pick<ServerFormat, 'remote' | 'urlKey'> {
  return {
    urlKey,
    remote: ({ url, tokenEnv }) => ({
      ...leading,
      [urlKey]: url,
      ...(tokenEnv === undefined
        ? {}
        : { headers: { Authorization: `Bearer ${reference(tokenEnv)}` } }),
    }),
  };
}

/** The hook form of Claude Code, with its timeout in seconds. */
export const hookInSeconds: CommandHooks['command'] = ({ call, timeoutMs }) => ({
  type: 'command',
  command: shellLine(call),
  timeout: Math.ceil(timeoutMs / 1000),
});

/** The hook form of Gemini CLI, which can switch off hooks by name. */
export const hookInMilliseconds: CommandHooks['command'] = ({ kind, call, timeoutMs }) => ({
  name: kind === 'recall' ? 'svc-memory' : 'svc-capture',
  type: 'command',
  command: shellLine(call),
  timeout: timeoutMs,
});

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((word): word is string => typeof word === 'string')
    : [];
}
