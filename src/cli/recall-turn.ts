import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { injectedBlock } from '../engine/active-memory/block.js';
import { readConversationTail } from '../engine/active-memory/conversation-tail.js';
import { type HookAgent, hookAnswer, readHookCall } from '../engine/active-memory/hooks.js';
import { openRecallLane } from '../engine/active-memory/lane.js';
import { type RecallTurn, sessionKeyOf } from '../engine/active-memory/turn.js';
import type { EngineContext } from '../engine/context.js';
import { messageOf } from '../engine/errors/index.js';
import { runningMs } from '../engine/running-ms.js';
import { channelOf } from '../engine/scope/session.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import { BoundedInput } from './bounded-input.js';
import { ownWords } from './own-words.js';
import { type SessionFlags, sessionFacts } from './session-flags.js';

/** The flags that say what a turn is, and whose memory is meant. */
export interface RecallFlags extends SessionFlags {
  readonly agent?: string | undefined;
  readonly config?: string | undefined;
  readonly model?: string | undefined;
  readonly transcript?: string | undefined;
  readonly trigger: string;
  readonly workspace?: string | undefined;
}

/** Where a conversation takes place whose caller does not say: at whoever runs this command. */
const OWN_CHANNEL = 'cli';

/** The turn that a command line speaks of. */
export function recallTurn(message: string, flags: RecallFlags, cwd: string): RecallTurn {
  const { transcript, trigger, model } = flags;
  const facts = sessionFacts(flags);
  return {
    message,
    earlier: once(() =>
      transcript === undefined ? [] : readConversationTail(resolve(cwd, transcript), message),
    ),
    session: { ...facts, channel: channelOf(facts) ?? OWN_CHANNEL },
    trigger,
    runModel: model,
  };
}

/** Whether a hook's answer is wanted, before the flags are read and when they cannot be. */
export function wantsHook(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return ownWords(argv).some((word) => /^--hook(?:=|$)/u.test(word)) || Boolean(env['SVC_HOOK']);
}

/** Prompts are smaller; what is larger comes from no agent. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024;
/** An agent writes the input at once and closes it. */
const INPUT_MS = 2000;
/** For writing the answer and ending, within the time that the agent was told. */
const ENDING_MS = 20;

/**
 * Answers an agent's hook: reads its JSON on stdin, writes the answer on stdout, or nothing at all.
 * Whatever happens, the process ends in time and without an error.
 */
export async function runRecallHook(
  agent: HookAgent,
  flags: RecallFlags,
  context: EngineContext,
  mask: SecretMask,
  signal: AbortSignal,
): Promise<void> {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      process.stderr.write(`${mask.text(messageOf(error))}\n`);
      process.exit(0);
    });
  }
  // The agent may be gone by the time there is an answer.
  process.stdout.on('error', () => undefined);
  // A person who tries it on a terminal waits for nothing.
  if (process.stdin.isTTY) return;
  const input = new BoundedInput(process.stdin, MAX_INPUT_BYTES);
  try {
    const lane = await openRecallLane(context, {
      configFile: flags.config,
      agentId: flags.agent,
      workspace: flags.workspace,
    });
    const left = (): number => lane.deadlineMs - ENDING_MS - runningMs();
    const text = await input.text(Math.min(INPUT_MS, left()));
    const call = text === undefined ? undefined : readHookCall(agent, text);
    if (call === undefined) return;
    const { sessionId, transcriptFile, prompt } = call;
    const given = sessionFacts(flags);
    const agentId = lane.agentOf(given.sessionKey);
    const named = sessionId === undefined ? undefined : sessionKeyOf(agentId, agent, sessionId);
    const transcript = flags.transcript ?? transcriptFile;
    const turn: RecallTurn = {
      message: prompt,
      earlier: once(() =>
        transcript === undefined
          ? []
          : readConversationTail(resolve(context.cwd, transcript), prompt),
      ),
      session: {
        sessionKey: given.sessionKey ?? named,
        // Coding agents talk to one person.
        chatType: given.chatType ?? (given.sessionKey === undefined ? 'direct' : undefined),
        channel: channelOf(given) ?? agent,
      },
      // One that cannot stand in a key is no agent's.
      sessionId: named === undefined ? undefined : sessionId,
      trigger: call.trigger === 'user' ? flags.trigger : call.trigger,
      runModel: flags.model,
    };
    const { recalled } = await lane.recall(turn, { signal, leftMs: left() });
    if (recalled === undefined) return;
    await written(hookAnswer(agent, injectedBlock(mask.text(recalled.summary))));
    await Promise.race([lane.close(), pause(Math.max(0, left()))]);
  } catch (error) {
    process.stderr.write(`${mask.text(messageOf(error))}\n`);
  }
}

/** Resolves when the text is on its way, so that the end of the process does not cut it off. */
function written(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
