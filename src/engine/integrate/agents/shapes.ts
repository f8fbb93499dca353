import { isRecord } from '../../config/index.js';
import type { HookFormat, ProgramCall, ServerFormat } from '../agent.js';
import type { EntryValue } from '../edit/document-editor.js';

type EntryShape = Pick<ServerFormat, 'entry' | 'envKey' | 'words'>;

/**
 * The form that most agents share: `command`, `args` and `env`.
 *
 * @param leading what stands before them in an entry
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

/** The form with one list for the program and its arguments. */
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

/** A hook of the form of Claude Code, whose time limit is in seconds. */
export const hookInSeconds: HookFormat['command'] = (line, timeoutMs) => ({
  type: 'command',
  command: line,
  timeout: Math.ceil(timeoutMs / 1000),
});

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((word): word is string => typeof word === 'string')
    : [];
}

/** Whether an object lies at a key of the data, and is a map of entries rather than one. */
export function holdsEntries(data: unknown, key: string): boolean {
  const value = isRecord(data) ? data[key] : undefined;
  return isRecord(value) && !('type' in value) && !('command' in value) && !('enabled' in value);
}
