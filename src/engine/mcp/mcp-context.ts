import type { ServerContext } from '@modelcontextprotocol/server';
import { asSvcError, messageOf, type Warning } from '../errors/index.js';
import type { SecretMask } from '../masking/index.js';
import { decideScope, type Scope, type SessionFacts } from '../scope/decide-scope.js';
import type { EngineContext } from '../support/context.js';
import { runningMs } from '../support/time.js';
import type { LiveMemory, McpLog } from './live-memory.js';
import type { McpToken } from './tokens/token-store.js';

/** Shared by all connections of a server. */
export interface McpContext {
  readonly memory: LiveMemory;
  readonly session: SessionFacts;
  /** Applied to errors and warnings, not to the user's files. */
  readonly mask: Pick<SecretMask, 'data' | 'text'>;
  readonly log: McpLog;
  /** Adds the flags that chose the memory to the commands in a hint; undefined where the user is on another machine. */
  readonly hintFor?: ((hint: string) => string) | undefined;
  readonly version: string;
  /** What the client's token allows; everything if undefined. */
  readonly scopes?: readonly TokenScope[];
  /** What `memory_add` needs; undefined where it is not offered, see `mcp.write`. */
  readonly writing?: McpWriting | undefined;
  /** Called after each call. Must not throw. */
  readonly onCall?: (call: McpCall) => void;
}

/** Whether the client's token allows it. */
export function allows({ scopes }: McpContext, scope: TokenScope): boolean {
  return scopes === undefined || scopes.includes(scope);
}

/** Whether `memory_add` is offered to the client. */
export function mayWrite(context: McpContext): context is McpContext & { writing: McpWriting } {
  return context.writing !== undefined && allows(context, 'write');
}

/** What a token allows. */
export type TokenScope = McpToken['scopes'][number];

export interface McpWriting {
  readonly context: Pick<EngineContext, 'clock' | 'state'>;
  /** Called with each write, for the audit log. Never fails. */
  readonly onWrite: (write: McpWrite) => Promise<void>;
}

/** What an agent added to memory, without its text. */
export interface McpWrite {
  /** For `svc memory undo`. */
  readonly write: string;
  readonly citation: string;
  readonly agent: string | null;
  readonly chars: number;
}

/** A call that was answered, without its contents. */
export interface McpCall {
  /** Name of a tool, or the method of a resource. */
  readonly tool: string;
  readonly ms: number;
  /** `ok`, `cancelled`, or the code of the error. */
  readonly outcome: string;
  /** Address of the client. */
  readonly client: string | undefined;
}

/** Reports a call to {@link McpContext.onCall} when it ends. */
export async function withAudit<T>(
  { onCall }: McpContext,
  tool: string,
  { http, mcpReq }: Pick<ServerContext, 'http' | 'mcpReq'>,
  run: () => Promise<{ readonly result: T; readonly outcome: string }>,
): Promise<T> {
  const startedMs = runningMs();
  let outcome: string | undefined;
  try {
    const ended = await run();
    outcome = ended.outcome;
    return ended.result;
  } finally {
    outcome ??= mcpReq.signal.aborted ? CANCELLED : 'failed';
    const client = http?.authInfo?.extra?.[CLIENT];
    onCall?.({
      tool,
      ms: Math.round(runningMs() - startedMs),
      outcome,
      client: typeof client === 'string' ? client : undefined,
    });
  }
}

/** Where `authInfo.extra` of a request has the address of its client. */
export const CLIENT = 'client';

/** Facts about the session, from the command line. */
export type DescribedSession = Pick<SessionFacts, 'channel' | 'chatType' | 'sessionKey'>;

/** The session of a server. Without key and type, it is the user's own agent: a direct session. */
export function sessionOf(described: DescribedSession): SessionFacts {
  const isDescribed = described.sessionKey !== undefined || described.chatType !== undefined;
  return isDescribed ? described : { ...described, chatType: 'direct' };
}

/** The refusal for a session that scope rules deny. */
export function admission(scope: Scope, session: SessionFacts): Warning | undefined {
  const { allowed, why } = decideScope(scope, session);
  if (allowed) return undefined;
  return {
    code: 'SCOPE_DENIED',
    message: `this session cannot use memory: ${why}`,
    hint: 'the user can change memory.ext.scope, or describe the session to svc mcp with --session-key and --chat-type',
  };
}

const CANCELLED = 'cancelled';

/**
 * Masks an error for an agent; logs bugs with their stack.
 *
 * @param signal of the call
 * @returns with the code `BUG` for an unexpected error, and `cancelled` if the client no longer waits for the call
 */
export function failureOf(
  error: unknown,
  { mask, log, hintFor = String }: Pick<McpContext, 'hintFor' | 'log' | 'mask'>,
  signal: AbortSignal,
) {
  // Whatever interrupted work throws; no one reads it.
  if (signal.aborted) {
    return { code: CANCELLED, message: 'the client cancelled the call', hint: undefined };
  }
  const known = asSvcError(error);
  if (known !== undefined) {
    const { code, message, hint, location } = known;
    const at = location === undefined ? '' : ` (${location.file}:${location.line})`;
    return mask.data({
      code,
      message: `${asFields(message)}${at}`,
      hint: hint && hintFor(asFields(inTools(hint))),
    });
  }
  log.warn(mask.text(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  return mask.data({
    code: 'BUG',
    message: messageOf(error),
    hint: 'this is a bug in svc; see its log, and run "svc bug-report"',
  });
}

/** A warning as an agent gets it. */
export function shownWarning(
  warning: Warning,
  { mask, hintFor = String }: Pick<McpContext, 'hintFor' | 'mask'>,
): Warning {
  const { hint } = warning;
  return mask.data(hint === undefined ? warning : { ...warning, hint: hintFor(hint) });
}

/** Replaces shell commands in a hint with tools; searching also updates the index. */
function inTools(hint: string): string {
  return hint
    .replaceAll(/"svc memory (?<tool>search|get)"/gu, 'memory_$<tool>')
    .replaceAll('run "svc memory index" to bring', 'search again with memory_search to bring');
}

/** Tools have fields where commands have flags. */
function asFields(text: string): string {
  return text
    .replaceAll(/--(?<field>since|before|on|where|heading)\b/gu, '$<field>')
    .replaceAll(/--(?<field>tag|kind)\b/gu, '$<field>s');
}

export function failureText({ code, message, hint }: ReturnType<typeof failureOf>): string {
  return `error: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}code: ${code}`;
}
