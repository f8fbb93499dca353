import { resolve } from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { FlagInput, InferredFlags } from '@oclif/core/interfaces';
import { SvcError } from '../engine/errors/index.js';
import type { ChatType, SessionFacts } from '../engine/scope/decide-scope.js';
import { isCalendarDay } from '../engine/support/day.js';
import { durationMs } from '../engine/support/time.js';
import { wallClock } from '../engine/support/wall-clock.js';
import { shapeFlags } from './shape-output.js';

/**
 * Flags that confirm, replace, delete or override a refusal, and those that shape the output: an exported variable
 * would do so in every command from then on.
 */
const WITHOUT_VARIABLE: ReadonlySet<string> = new Set([
  'again',
  'all',
  'allow-secret',
  'existing',
  'fields',
  'finish',
  'fix',
  'force',
  'forget',
  'from-file',
  'jq',
  'last',
  'remove',
  'rollback',
  'template',
  'undo',
  'yes',
]);

/** Gives each flag its environment variable, unless it must not have one: `--max-results` is `SVC_MAX_RESULTS`. */
export function assignVariables(flags: Readonly<Record<string, { env?: string }>>): void {
  for (const [name, flag] of Object.entries(flags)) {
    if (!WITHOUT_VARIABLE.has(name)) flag.env = variableOf(name);
  }
}

/** The environment variable of a flag. @param name without dashes in front */
export function variableOf(name: string): string {
  return `SVC_${name.replaceAll('-', '_').toUpperCase()}`;
}

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
  return Flags.integer({ char: 'n', summary, helpValue: 'N', min: 1, max: 1000 });
}

/** Where a server listens. @param key the part of the configuration that has its address */
export function listenFlags(key: string) {
  return {
    host: Flags.string({
      summary: `Listen on this address instead of ${key}.host.`,
      helpValue: 'HOST',
    }),
    port: Flags.integer({
      summary: `Listen on this port instead of ${key}.port; 0 picks a free one.`,
      helpValue: 'PORT',
      min: 0,
      max: 65_535,
    }),
  };
}

export const globalFlags = {
  ...shapeFlags,
  config: Flags.string({
    summary: 'Use this configuration file only.',
    helpValue: 'FILE',
    helpGroup: 'GLOBAL',
    parse: async (text) => notEmpty(text, 'name a file, or leave it out'),
  }),
  json: Flags.boolean({ summary: 'Print JSON instead of text.', helpGroup: 'GLOBAL' }),
  plain: Flags.boolean({ summary: 'Print plain lines instead of a screen.', helpGroup: 'GLOBAL' }),
  quiet: Flags.boolean({
    char: 'q',
    summary: 'Print less on stderr.',
    helpGroup: 'GLOBAL',
    exclusive: ['verbose'],
  }),
  verbose: Flags.boolean({ char: 'v', summary: 'Print more on stderr.', helpGroup: 'GLOBAL' }),
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
  agent: Flags.string({ summary: 'Use the memory of this agent.', helpValue: 'ID', char: 'a' }),
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
  yes: Flags.boolean({ summary: 'Skip confirmation prompts.', char: 'y' }),
};

/** `--since`: a date (`2026-03-01`) or a duration (`2h`). */
export const sinceFlag = Flags.string({
  summary: 'Show only what was created since a date or for a duration (7d).',
  helpValue: 'WHEN',
});

/** What times in flags are relative to. */
export interface TimeContext {
  readonly nowMs: number;
  /** Of dates without a zone: an IANA name, or undefined for the host's. Only asked for those. */
  userTimeZone(): Promise<string | undefined>;
}

/** The time of `--since` or a similar flag, in milliseconds since the epoch. @throws SvcError USAGE */
export async function readSince(
  text: string | undefined,
  context: TimeContext,
  flag = '--since',
): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const duration = durationMs(text);
  if (duration !== undefined) return context.nowMs - duration;
  const date = await dateMs(text, context);
  if (date !== undefined) return date;
  throw new SvcError(
    'USAGE',
    `${flag} must be a date, a time or a duration such as 7d (got "${text}")`,
    { hint: 'examples: 2026-03-01, 2026-03-01T08:00Z, 30m, 2h' },
  );
}

/** The token file cannot have years of more than four digits. */
const LATEST_MS = Date.UTC(9999, 0);

/**
 * The lifetime of `--expires`: a duration (`90d`) or a date, in milliseconds; undefined for `never`.
 *
 * @throws SvcError USAGE
 */
export async function readLifetime(
  text: string,
  context: TimeContext,
): Promise<number | undefined> {
  if (text === 'never') return undefined;
  const duration = durationMs(text);
  const { nowMs } = context;
  const lifetime = duration ?? ((await dateMs(text, context)) ?? Number.NaN) - nowMs;
  if (nowMs + lifetime >= LATEST_MS) {
    throw new SvcError('USAGE', `--expires must be before the year 9999 (got "${text}")`, {
      hint: 'use "never" for a token that does not expire',
    });
  }
  if (lifetime > 0) return lifetime;
  throw new SvcError(
    'USAGE',
    `--expires must be a duration such as 90d, a future date, or "never" (got "${text}")`,
    { hint: 'examples: 12h, 90d, 2027-06-30, never' },
  );
}

/** A duration such as `10m`, in milliseconds. @throws SvcError USAGE */
export function readDuration(text: string, flag: string): number {
  const duration = durationMs(text);
  if (duration !== undefined) return duration;
  throw new SvcError('USAGE', `${flag} must be a duration such as 10m (got "${text}")`, {
    hint: 'examples: 30s, 10m, 2h, 7d',
  });
}

/** `--older-than`: a duration, or a number of days. */
export function olderThanFlag(summary: string) {
  return Flags.string({ summary, helpValue: 'AGE' });
}

/** The age of `--older-than`, in milliseconds. @throws SvcError USAGE */
export function readAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return readDuration(/^\d+$/u.test(text) ? `${text}d` : text, '--older-than');
}

const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/iu;

/** A date, midnight without a time; undefined for anything else. */
async function dateMs(text: string, { userTimeZone }: TimeContext): Promise<number | undefined> {
  const [, day, zone] = DATE.exec(text) ?? [];
  // Date.parse takes 30 February for 2 March.
  if (day === undefined || !isCalendarDay(day)) return undefined;
  const hasTime = text.length > day.length;
  const atMs = Date.parse(hasTime && zone === undefined ? `${text}Z` : text);
  if (Number.isNaN(atMs)) return undefined;
  return zone === undefined ? wallClock(await userTimeZone()).firstAt(atMs) : atMs;
}

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
  'session-key': Flags.string({
    summary: 'Conversation that asks, e.g. agent:main:telegram:direct:42.',
    helpValue: 'KEY',
  }),
  'chat-type': Flags.custom<ChatType>({
    summary: 'Kind of conversation; overrides the session key.',
    options: CHAT_TYPES,
  })(),
  channel: Flags.string({
    summary: 'Channel of the conversation, such as telegram.',
    helpValue: 'NAME',
  }),
};

/** The values of {@link sessionFlags}. */
export type SessionFlags = Partial<InferredFlags<typeof sessionFlags>>;

/** The conversation that the flags describe. */
export function sessionFacts(flags: SessionFlags): SessionFacts {
  return { sessionKey: flags['session-key'], chatType: flags['chat-type'], channel: flags.channel };
}

export const idArg = Args.custom<string>({
  parse: async (text) => notEmpty(text, 'pass an ID'),
});
/** What names a flow or a task. */
export const ID = 'ID, or at least its first 4 characters.';
const byId = () => idArg({ required: true, description: ID });

export const flowArgs = { flow: byId() };

export const configPathArgs = {
  path: Args.string({ required: true, description: 'path of a key, such as memory.citations' }),
};

export const routeArgs = {
  route: Args.string({ required: true, description: 'ID of the route.' }),
};

export const deliveryArgs = { delivery: byId() };

export const taskArgs = { task: byId() };

export const sessionArgs = {
  session: Args.string({
    required: true,
    description: 'ID, the beginning of it, or a path or citation.',
  }),
};

/** How many next runs of a schedule are shown without `--count`. */
export const RUNS_SHOWN = 5;
/** `--count` of them. */
export const runsFlag = Flags.integer({
  summary: `Number of runs to show (default ${RUNS_SHOWN}).`,
  helpValue: 'N',
  min: 1,
  max: 1000,
});

export const scheduleArgs = {
  schedule: Args.string({ required: true, description: 'Its id in the configuration.' }),
};

/** The file that `--output` names; undefined for stdout, also as `-`. */
export function outputFile(path: string | undefined): string | undefined {
  return path === undefined || path === '-' ? undefined : resolve(path);
}

/** What {@link withListVariables} needs of a flag; both oclif's definitions and the manifest have it. */
export interface KnownFlag {
  readonly type: 'boolean' | 'option';
  readonly multiple?: boolean | undefined;
  readonly env?: string | undefined;
}

/**
 * A command line with the values from the variables of repeatable flags that were not typed: `SVC_TAG=a,b` is
 * `--tag=a --tag=b`. oclif would pass the text of the variable on instead of a list.
 *
 * @param isTyped whether a flag is on the command line
 */
export function withListVariables(
  argv: readonly string[],
  flags: Readonly<Record<string, KnownFlag>>,
  env: Readonly<Record<string, string | undefined>>,
  isTyped: (name: string) => boolean,
): string[] {
  const words = Object.entries(flags).flatMap(([name, flag]) => {
    if (flag.type !== 'option' || !flag.multiple || flag.env === undefined) return [];
    const text = env[flag.env] ?? '';
    if (text === '' || isTyped(name)) return [];
    const values = text.split(',').map((value) => value.trim());
    const nonEmpty = values.filter((value) => value !== '');
    // Only commas: passed on as they are, so that the error is about this value.
    return (nonEmpty.length === 0 ? [text] : nonEmpty).map((value) => `--${name}=${value}`);
  });
  return [...words, ...argv];
}
