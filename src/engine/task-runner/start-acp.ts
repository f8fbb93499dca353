import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough, Readable, Writable } from 'node:stream';
import { format } from 'node:util';
import {
  type AuthMethod,
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type PermissionOption,
  type PermissionOptionKind,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionOutcome,
  type SessionUpdate,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import { ChildGroup } from '../child/child-group.js';
import { messageOf } from '../errors/index.js';
import { fromJsonText } from '../flow-model/fields.js';
import { readLines } from '../support/read-lines.js';
import { isRecord, lastChars, parsedJson } from '../support/text.js';
import {
  endFailure,
  followErrors,
  type JobEnd,
  type JobHost,
  progressLine,
  type RunningJob,
  type TaskJob,
} from './job.js';
import type { PermissionPolicy } from './runner-settings.js';

/** How long an agent can take to cancel before its programs are ended. */
const CANCEL_GRACE_MS = 3000;
/** How long an agent can take to exit after its answer. */
const EXIT_GRACE_MS = 2000;

/** JSON-RPC code of an agent whose user has to sign in first. */
const AUTH_REQUIRED = -32_000;

/**
 * Runs a task with an agent over the Agent Client Protocol on stdin and stdout: one process, one session, one
 * prompt. svc offers it neither files nor terminals.
 */
export function startAcp(job: TaskJob, host: JobHost): RunningJob {
  const { command, env, cwd, attemptId, permissions } = job;
  const child = new ChildGroup({ command, env, cwd, attemptId, announce: host.announce });
  const lastError = followErrors(child.stderr, host.note);
  const { stream, lastSkipped } = agentStream(child, host.note);
  const session = sessionFollower(host.progress);
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let isAnswered = false;
  let cancelTimer: NodeJS.Timeout | undefined;

  const app = client({ name: 'svc' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      if (isStopped) return { outcome: { outcome: 'cancelled' } };
      const { toolCall, options } = params;
      const kind = toolCall.kind ?? session.kindOf(toolCall.toolCallId);
      const outcome = decidePermission(permissions, kind, options);
      const isAllowed = outcome.outcome === 'selected' && isGranted(permissions, kind);
      host.logDecision(
        `asked for ${kind ?? 'an unnamed tool'}: ${isAllowed ? 'granted' : 'refused'}`,
      );
      return { outcome };
    })
    .onNotification(methods.client.session.update, ({ params }) => session.follow(params.update));

  const converse = async (agent: ClientContext): Promise<JobEnd> => {
    const { protocolVersion, authMethods } = await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    if (protocolVersion !== PROTOCOL_VERSION) {
      const error = `the agent uses protocol version ${protocolVersion}, svc uses ${PROTOCOL_VERSION}`;
      return { kind: 'failed', error, retry: false };
    }
    const newSession = () => agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const { sessionId } = await newSession().catch(async (error: unknown) => {
      const needsKey = error instanceof RequestError && error.code === AUTH_REQUIRED;
      const methodId = needsKey ? signInWithKey(authMethods, env) : undefined;
      if (methodId === undefined) throw error;
      await agent.request(methods.agent.authenticate, { methodId });
      return newSession();
    });
    cancel = () => {
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    };
    if (isStopped) cancel();
    const response = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: promptFor(job) }],
    });
    return endOf(response, session.text());
  };

  const talk = async (): Promise<JobEnd> => {
    try {
      return await printed.run(host.note, () => app.connectWith(stream, converse));
    } catch (error) {
      if (error instanceof RequestError) return refusal(error);
      // The connection broke; how the agent exited says more.
      child.stop();
      return {
        kind: 'failed',
        error: endFailure(await child.ended, lastError() ?? lastSkipped() ?? messageOf(error)),
        retry: true,
      };
    }
  };

  const ended = talk().then(async (end) => {
    isAnswered = true;
    clearTimeout(cancelTimer);
    child.stdin.end();
    // An agent is a server: it may not exit when its input ends.
    const exitTimer = setTimeout(() => child.stop(), EXIT_GRACE_MS);
    await child.ended;
    clearTimeout(exitTimer);
    return end;
  });
  return {
    ended,
    isAnswered: () => isAnswered,
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      if (cancel === undefined || isAnswered) {
        child.stop();
        return;
      }
      cancel();
      cancelTimer = setTimeout(() => child.stop(), CANCEL_GRACE_MS);
    },
    kill: () => child.kill(),
  };
}

const KEY_VARIABLE = /\b[A-Z][A-Z0-9_]{0,80}_(?:KEY|TOKEN)\b/gu;

/**
 * The way to sign in that takes a key of the environment. Agents such as codex-acp use it only after a request to
 * (github.com/agentclientprotocol/codex-acp, CodexAuthMethod.ts); other ways would open a browser. They name the variable
 * in their description, as older releases of Gemini CLI do, in `vars`, or only in their id: `openai-api-key`, `api-key`.
 */
function signInWithKey(
  ways: readonly AuthMethod[] | null | undefined,
  env: Readonly<Record<string, string>>,
): string | undefined {
  const keys = Object.keys(env).flatMap((name) =>
    env[name] ? (name.match(KEY_VARIABLE) ?? []) : [],
  );
  const way = ways?.find((method) => {
    if ('type' in method && method.type === 'terminal') return false;
    const inId = `_${method.id.toUpperCase().replaceAll('-', '_')}`;
    const named: readonly string[] = JSON.stringify(method).match(KEY_VARIABLE) ?? [];
    return keys.some((key) => named.includes(key) || `_${key}`.endsWith(inId));
  });
  return way?.id;
}

const printed = new AsyncLocalStorage<JobHost['note']>();
const { error: print } = console;

/**
 * The library prints what it cannot use of an agent's messages, such as updates of later versions of the protocol.
 * Printed, they would break the lines of a log and the screen of a server, and could control a terminal.
 */
console.error = (...words: unknown[]): void => {
  const note = printed.getStore();
  if (note === undefined) print(...words);
  else note(format(...words));
};

function endOf({ stopReason }: PromptResponse, text: string): JobEnd {
  switch (stopReason) {
    case 'end_turn':
      return { kind: 'succeeded', summary: text, result: { text } };
    case 'max_tokens':
    case 'max_turn_requests':
      return { kind: 'failed', error: `the agent reached its limit (${stopReason})`, retry: false };
    case 'refusal':
      return { kind: 'failed', error: 'the agent refused the task', retry: false };
    case 'cancelled':
      return { kind: 'failed', error: 'the agent cancelled the task', retry: true };
    default: {
      // The library does not check answers, and later versions of the protocol can have more reasons.
      const error = `the agent stopped for an unknown reason (${JSON.stringify(stopReason)})`;
      return { kind: 'failed', error, retry: false };
    }
  }
}

function refusal(error: RequestError): JobEnd {
  if (error.code === AUTH_REQUIRED) {
    const why = 'the agent is not signed in: run it once by hand, or set its key in env';
    return { kind: 'failed', error: why, retry: false };
  }
  return { kind: 'failed', error: `the agent answered: ${error.message}`, retry: true };
}

/** The task, followed by its context. */
function promptFor({ task, flow }: TaskJob): string {
  if (flow === undefined) return task.task;
  const context = {
    goal: flow.goal,
    ...(flow.currentStep ? { currentStep: flow.currentStep } : {}),
    ...(flow.stateJson === null ? {} : { state: fromJsonText(flow.stateJson) }),
    ...(task.error ? { lastAttempt: task.error } : {}),
  };
  return `${task.task}\n\nContext, as JSON:\n${JSON.stringify(context, undefined, 2)}`;
}

/** A message can contain a whole file. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;
/** More than is shown of a line that is not a message; to mask megabytes would hold up the process. */
const MOST_SKIPPED_CHARS = 8192;

/**
 * The messages of an agent. Anything else on stdout, such as greetings of wrapper scripts, is logged and
 * skipped: the protocol would take it for a broken message.
 *
 * @returns also the last line skipped after the last message: a program that is not an agent gives its reason there
 */
function agentStream(child: ChildGroup, note: (text: string) => void) {
  const messages = new PassThrough();
  let skipped: string | undefined;
  readLines(child.stdout, {
    mostBytes: MOST_LINE_BYTES,
    onTooLong: () => note(`skipped a line of more than ${MOST_LINE_BYTES} bytes`),
    onLine: (line) => {
      if (isMessage(line)) {
        skipped = undefined;
        messages.write(`${line}\n`);
        return;
      }
      const beginning = line.slice(0, MOST_SKIPPED_CHARS);
      if (progressLine(beginning) === '') return;
      skipped = beginning;
      note(`skipped a line that is not a message: ${beginning}`);
    },
  });
  child.stdout.on('close', () => messages.end());
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(messages), {
    maxMessageBytes: MOST_LINE_BYTES,
  });
  return { stream, lastSkipped: () => skipped };
}

function isMessage(line: string): boolean {
  const value = parsedJson(line);
  return isRecord(value) && value['jsonrpc'] === '2.0';
}

/** Tools that only read, according to the agent. */
const READING: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think']);

/** Once before always: the answer is for this one request. */
const GRANTS: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const REFUSALS: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

/**
 * Answers an agent's request for permission, because there is no user to ask. If the agent does not offer the
 * right kind of answer, the request is cancelled.
 *
 * @param kind of the tool; undefined if the agent has not said
 */
export function decidePermission(
  policy: PermissionPolicy,
  kind: ToolKind | undefined,
  options: readonly PermissionOption[],
): RequestPermissionOutcome {
  for (const kindOfAnswer of isGranted(policy, kind) ? GRANTS : REFUSALS) {
    const option = options.find((offered) => offered.kind === kindOfAnswer);
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}

function isGranted(policy: PermissionPolicy, kind: ToolKind | undefined): boolean {
  return policy === 'allow' || (policy === 'read' && kind !== undefined && READING.has(kind));
}

/** The most characters that are kept of an agent's messages; the end counts. */
const MOST_CHARS = 200_000;

/** Follows a session: progress for people, and the last message as the result. */
function sessionFollower(progress: (text: string) => void) {
  const kinds = new Map<string, ToolKind>();
  let lastMessage = '';
  return {
    /** The text after the last tool call. */
    text: (): string => lastMessage.trim(),
    kindOf: (toolCallId: string): ToolKind | undefined => kinds.get(toolCallId),
    follow: (update: SessionUpdate): void => {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          if (update.content.type === 'text') {
            lastMessage = lastChars(`${lastMessage}${update.content.text}`, MOST_CHARS);
          }
          break;
        case 'tool_call':
          // The answer follows the last tool call.
          lastMessage = '';
          if (update.kind !== undefined) kinds.set(update.toolCallId, update.kind);
          progress(update.title);
          break;
        case 'tool_call_update':
          if (update.kind) kinds.set(update.toolCallId, update.kind);
          if (update.title) progress(update.title);
          break;
        case 'plan': {
          const step = update.entries.find(({ status }) => status === 'in_progress');
          if (step !== undefined) progress(step.content);
          break;
        }
        default:
          // Thoughts, modes and usage are not reported.
          break;
      }
    },
  };
}
