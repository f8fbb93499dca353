import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { FlagInput, InferredFlags } from '@oclif/core/interfaces';
import { SvcError } from '../engine/errors/index.js';
import type { ChatType, SessionFacts } from '../engine/scope/decide-scope.js';
import { type EngineContext, typedPath } from '../engine/support/context.js';

/** One value each time: words that follow it may be arguments. */
const REPEATABLE = { multiple: true, multipleNonGreedy: true } as const;

/** A flag that takes one of some words, once or more. */
export function choicesFlag<const T extends readonly string[]>(
  options: T,
  summary: string,
  helpValue?: string,
) {
  const shownValue = helpValue === undefined ? {} : { helpValue };
  return Flags.option({ options, ...REPEATABLE, summary, ...shownValue })();
}

/** What some flags have besides a summary. */
type MoreOfFlag = Partial<
  Pick<Parameters<typeof Flags.boolean>[0] & object, 'aliases' | 'char' | 'exclusive' | 'helpGroup'>
>;

/** A flag without a value. */
export function switchFlag(summary: string, more: MoreOfFlag = {}) {
  return Flags.boolean({ summary, ...more });
}

/** A flag that takes a text. */
export function textFlag(summary: string, helpValue: string, more: MoreOfFlag = {}) {
  return Flags.string({ summary, helpValue, ...more });
}

/** A flag that takes a whole number. */
export function numberFlag(
  summary: string,
  more: MoreOfFlag & { readonly min: number; readonly max?: number },
) {
  return Flags.integer({ summary, helpValue: 'N', ...more });
}

/** A flag that takes a text, once or more. */
export function textsFlag(summary: string, helpValue: string) {
  return Flags.string({ summary, helpValue, ...REPEATABLE });
}

/** `--limit` of a list. */
export function limitFlag(defaultLimit: number, most = 10_000) {
  return Flags.integer({
    char: 'n',
    summary: 'Show at most this many.',
    helpValue: 'N',
    default: defaultLimit,
    min: 1,
    max: most,
  });
}

/** `--max-results` of a search. */
export function maxResultsFlag(summary: string) {
  return numberFlag(summary, { char: 'n', min: 1, max: 1000 });
}

/** Where a server listens. @param key the part of the configuration that has its address */
export function listenFlags(key: string) {
  return {
    host: textFlag(`Listen on this address instead of ${key}.host.`, 'HOST'),
    port: Flags.integer({
      summary: `Listen on this port instead of ${key}.port; 0 picks a free one.`,
      helpValue: 'PORT',
      min: 0,
      max: 65_535,
    }),
  };
}

const GLOBAL = { helpGroup: 'GLOBAL' };

export const globalFlags = {
  fields: textFlag('Print only these fields of the JSON document.', 'a,b.c', GLOBAL),
  jq: textFlag('Print what a jq expression selects from the JSON document.', 'EXPR', {
    exclusive: ['template'],
    ...GLOBAL,
  }),
  template: textFlag('Print the JSON document through a Mustache template.', 'TEXT', GLOBAL),
  config: Flags.string({
    summary: 'Use this configuration file only.',
    helpValue: 'FILE',
    ...GLOBAL,
    parse: async (text) => notEmpty(text, 'name a file, or leave it out'),
  }),
  json: switchFlag('Print JSON instead of text.', GLOBAL),
  plain: switchFlag('Print plain lines instead of a screen.', GLOBAL),
  quiet: switchFlag('Print less on stderr.', { char: 'q', exclusive: ['verbose'], ...GLOBAL }),
  verbose: switchFlag('Print more on stderr.', { char: 'v', ...GLOBAL }),
};

/** The error for an argument that is only required without some flag. @param name with what it is, in brackets */
export function missingArgument(name: string, hint: string): SvcError {
  return new SvcError('USAGE', `missing argument: ${name}`, { hint });
}

/** The values of all flags of a command. */
export type FlagsOf<Command extends { readonly flags: FlagInput }> = InferredFlags<
  Command['flags']
> &
  InferredFlags<typeof globalFlags>;

/** The agent or folder that a memory command works on. */
export const targetFlags = {
  agent: textFlag('Use the memory of this agent.', 'ID', { char: 'a' }),
  workspace: Flags.string({
    char: 'w',
    summary: 'Use this folder of Markdown, without configuration.',
    helpValue: 'DIR',
    parse: async (text) => notEmpty(text, 'name a folder, or leave it out'),
  }),
};

/** An unset variable, as in `-w "$NOTES"`, must not mean that the flag was left out, and is no ID. */
function notEmpty(text: string, hint: string): string {
  if (text !== '') return text;
  throw new SvcError('USAGE', 'must not be empty', { hint });
}

/** The values of {@link targetFlags}, with the configuration that they are about. */
export type TargetFlags = Partial<InferredFlags<typeof targetFlags>> & {
  readonly config?: string | undefined;
};

/** For commands that ask before they act. */
export const yesFlag = {
  yes: switchFlag('Skip confirmation prompts.', { char: 'y' }),
};

/** A flag with a number from 0 to 1. */
export const shareFlag = Flags.custom<number>({ parse: async (text) => parseShare(text) });

/** @throws SvcError USAGE for anything but a number from 0 to 1 */
function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share <= 1) return share;
  throw new SvcError('USAGE', `must be between 0 and 1 (got "${text}")`);
}

/** `--url`: the address of a listener. */
export function baseUrlFlag(summary: string) {
  return Flags.string({ summary, helpValue: 'URL', parse: async (text) => parseBaseUrl(text) });
}

/** Oclif names the flag. @throws SvcError USAGE for anything else than an address */
function parseBaseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text;
  throw new SvcError('USAGE', `must be an address with http:// or https:// (got "${text}")`, {
    hint: 'examples: http://127.0.0.1:8787, https://hooks.example.com',
  });
}

const CHAT_TYPES = ['direct', 'group', 'channel', 'explicit'] as const satisfies ChatType[];

/** How an agent describes the conversation that asks. */
export const sessionFlags = {
  'session-key': textFlag('Conversation that asks, e.g. agent:main:telegram:direct:42.', 'KEY'),
  'chat-type': Flags.custom<ChatType>({
    summary: 'Kind of conversation; overrides the session key.',
    options: CHAT_TYPES,
  })(),
  channel: textFlag('Channel of the conversation, such as telegram.', 'NAME'),
};

/** The values of {@link sessionFlags}. */
export type SessionFlags = Partial<InferredFlags<typeof sessionFlags>>;

/** The conversation that the flags describe. */
export function sessionFacts(flags: SessionFlags): SessionFacts {
  return { sessionKey: flags['session-key'], chatType: flags['chat-type'], channel: flags.channel };
}

/** An argument that a command needs. */
export function requiredArg(description: string) {
  return Args.string({ required: true, description });
}

/** An argument that can be left out. */
export function optionalArg(description: string) {
  return Args.string({ description });
}

export const idArg = Args.custom<string>({
  parse: async (text) => notEmpty(text, 'pass an ID'),
});
/** What names a flow or a task. */
export const ID = 'ID, or at least its first 4 characters.';
const byId = () => idArg({ required: true, description: ID });

export const flowArgs = { flow: byId() };

export const configPathArgs = { path: requiredArg('Path of a key, such as memory.citations.') };

export const routeArgs = { route: requiredArg('ID of the route.') };

export const deliveryArgs = { delivery: byId() };

export const taskArgs = { task: byId() };

export const sessionArgs = {
  session: requiredArg(
    'ID, the beginning of it, the ID that the agent shows, or a path or citation.',
  ),
};

/** How many next runs of a schedule are shown without `--count`. */
export const RUNS_SHOWN = 5;
/** `--count` of them. */
export const runsFlag = numberFlag(`Number of runs to show (default ${RUNS_SHOWN}).`, {
  min: 1,
  max: 1000,
});

export const scheduleArgs = { schedule: requiredArg('ID of the schedule.') };

/** The file that `--output` names; undefined for stdout, also as `-`. */
export function outputFile(
  path: string | undefined,
  context: Pick<EngineContext, 'cwd' | 'homeDir'>,
): string | undefined {
  return path === undefined || path === '-' ? undefined : typedPath(path, context);
}
