import { setTimeout as pause } from 'node:timers/promises';
import {
  type HookAgent,
  hookAnswer,
  injectedBlock,
  openRecallLane,
  type RecallTurn,
  readConversationTail,
  readHookCall,
  sessionKeyOf,
} from '../engine/active-memory/index.js';
import { messageOf } from '../engine/errors/index.js';
import { channelOf } from '../engine/scope/decide-scope.js';
import { type EngineContext, typedPath } from '../engine/support/context.js';
import { runningMs } from '../engine/support/time.js';
import { safeLines } from '../ui/safe-text.js';
import type { CommandContext } from './command-context.js';
import { type SessionFlags, sessionFacts, type TargetFlags } from './flags.js';
import { readHookInput } from './hook-input.js';
import { writeStderr } from './stderr.js';

/** The flags that describe a turn and name its memory. */
export interface RecallFlags extends SessionFlags, TargetFlags {
  readonly model?: string | undefined;
  readonly transcript?: string | undefined;
  readonly trigger: string;
}

/** The channel of a conversation whose caller names none. */
const OWN_CHANNEL = 'cli';

/** The turn that a command line describes. */
export function recallTurn(
  message: string,
  flags: RecallFlags,
  context: Pick<EngineContext, 'cwd' | 'homeDir'>,
): RecallTurn {
  const { transcript, trigger, model } = flags;
  const facts = sessionFacts(flags);
  const transcriptFile = transcript === undefined ? undefined : typedPath(transcript, context);
  return {
    message,
    earlier: once(() =>
      transcriptFile === undefined ? [] : readConversationTail(transcriptFile, message),
    ),
    transcriptFile,
    session: { ...facts, channel: channelOf(facts) ?? OWN_CHANNEL },
    trigger,
    runModel: model,
  };
}

/** Agents write the input immediately and close it. */
const INPUT_MS = 2000;
/** For writing the response and exiting within the timeout that the agent uses. */
const ENDING_MS = 20;

/**
 * Answers an agent's hook: reads its JSON from stdin and writes the response, or nothing, to stdout. The process exits
 * in time, also where nothing can catch an error.
 *
 * @throws what opening or recalling throws
 */
export async function runRecallHook(
  agent: HookAgent,
  flags: RecallFlags,
  { context, mask, signal }: Pick<CommandContext, 'context' | 'mask' | 'signal'>,
): Promise<void> {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      writeStderr(`${safeLines(mask.text(messageOf(error)))}\n`);
      process.exit(0);
    });
  }
  // The agent may be gone by the time there is a response.
  process.stdout.on('error', () => undefined);
  // On a terminal there is no input to wait for.
  if (process.stdin.isTTY) return;
  const input = readHookInput(process.stdin);
  const lane = await openRecallLane(context, {
    configFile: flags.config,
    agentId: flags.agent,
    workspace: flags.workspace,
  });
  const leftMs = (): number => lane.deadlineMs - ENDING_MS - runningMs();
  const text = await input(Math.min(INPUT_MS, leftMs()));
  const call = text === undefined ? undefined : readHookCall(agent, text);
  if (call === undefined) return;
  const { sessionId, transcriptFile, prompt } = call;
  const session = sessionFacts(flags);
  const agentId = lane.agentOf(session.sessionKey);
  const hookSessionKey =
    sessionId === undefined ? undefined : sessionKeyOf(agentId, agent, sessionId);
  const turnFlags = {
    ...flags,
    transcript: flags.transcript ?? transcriptFile,
    trigger: call.trigger === 'user' ? flags.trigger : call.trigger,
  };
  const turn: RecallTurn = {
    ...recallTurn(prompt, turnFlags, context),
    session: {
      sessionKey: session.sessionKey ?? hookSessionKey,
      // Coding agents talk to one person.
      chatType: session.chatType ?? (session.sessionKey === undefined ? 'direct' : undefined),
      channel: channelOf(session) ?? agent,
    },
    // An id that is not valid in a key does not come from an agent.
    sessionId: hookSessionKey === undefined ? undefined : sessionId,
  };
  const { recalled } = await lane.recall(turn, { signal, leftMs: leftMs() });
  if (recalled === undefined) return;
  const answer = hookAnswer(agent, injectedBlock(mask.text(recalled.summary)));
  // Exiting must not cut it off.
  await new Promise<void>((resolve) => process.stdout.write(answer, () => resolve()));
  await Promise.race([lane.close(), pause(Math.max(0, leftMs()))]);
}

function once<T>(make: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => {
    result ??= { value: make() };
    return result.value;
  };
}
