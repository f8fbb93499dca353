import {
  type ClientContext,
  client,
  methods,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
} from '@agentclientprotocol/sdk';
import { ChildGroup } from '../../child/child-group.js';
import { messageOf } from '../../errors/index.js';
import { endFailure } from '../end-failure.js';
import { ErrorTail } from '../error-tail.js';
import type { JobEnd, JobHost, RunningJob, TaskJob } from '../job.js';
import { summaryText } from '../words.js';
import { AgentAccount } from './agent-account.js';
import { agentStream } from './agent-stream.js';
import { decidePermission } from './permissions.js';
import { promptFor } from './prompt.js';

/** How long an agent that is asked to cancel may take before its programs are ended. */
const CANCEL_GRACE_MS = 3000;
/** How long an agent that has answered may take to end by itself. */
const LEAVE_GRACE_MS = 2000;

/** JSON-RPC code of an agent that wants its user to sign in first. */
const AUTH_REQUIRED = -32_000;

/**
 * Runs a task with an agent that speaks the Agent Client Protocol over its stdin and stdout: one
 * process, one session, one prompt. svc offers it neither files nor terminals.
 */
export function startAcp(job: TaskJob, host: JobHost): RunningJob {
  const { command, env, cwd, permissions } = job;
  const child = new ChildGroup({ command, env, cwd, mind: host.mind });
  const errors = new ErrorTail(child.stderr, host.note);
  const account = new AgentAccount(host.progress);
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let cancelTimer: NodeJS.Timeout | undefined;

  const app = client({ name: 'svc' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      if (isStopped) return { outcome: { outcome: 'cancelled' } };
      const { toolCall, options } = params;
      const kind = toolCall.kind ?? account.kindOf(toolCall.toolCallId);
      const outcome = decidePermission(permissions, kind, options);
      host.note(`asked for ${kind ?? 'an unnamed tool'}: ${outcome.outcome}`);
      return { outcome };
    })
    .onNotification(methods.client.session.update, ({ params }) => account.take(params.update));

  const converse = async (agent: ClientContext): Promise<JobEnd> => {
    const { protocolVersion } = await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    if (protocolVersion !== PROTOCOL_VERSION) {
      const error = `the agent speaks version ${protocolVersion} of the protocol, svc ${PROTOCOL_VERSION}`;
      return { kind: 'failed', error, retry: false };
    }
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    cancel = () => {
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    };
    if (isStopped) cancel();
    const response = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: promptFor(job) }],
    });
    return endOf(response, account.text);
  };

  const talk = async (): Promise<JobEnd> => {
    try {
      return await app.connectWith(agentStream(child, host.note), converse);
    } catch (error) {
      if (error instanceof RequestError) return refusal(error);
      // The connection broke: how the agent died says more.
      child.stop();
      return {
        kind: 'failed',
        error: endFailure(await child.ended, errors.lastLine ?? messageOf(error)),
        retry: true,
      };
    }
  };

  const ended = talk().then(async (end) => {
    clearTimeout(cancelTimer);
    child.stdin.end();
    // An agent is a server: it does not end by itself when a session is over, unless it hears the end.
    const leave = setTimeout(() => child.stop(), LEAVE_GRACE_MS);
    await child.ended;
    clearTimeout(leave);
    return end;
  });
  return {
    ended,
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      if (cancel === undefined) {
        child.stop();
        return;
      }
      cancel();
      cancelTimer = setTimeout(() => child.stop(), CANCEL_GRACE_MS);
    },
    kill: () => child.kill(),
  };
}

/** What the stop reason of a turn means for the task. */
function endOf({ stopReason }: PromptResponse, text: string): JobEnd {
  switch (stopReason) {
    case 'end_turn':
      return { kind: 'succeeded', summary: summaryText(text), result: { text } };
    case 'max_tokens':
    case 'max_turn_requests':
      return {
        kind: 'failed',
        error: `the agent came to its limit (${stopReason})`,
        retry: false,
      };
    case 'refusal':
      return { kind: 'failed', error: 'the agent refused the task', retry: false };
    case 'cancelled':
      return { kind: 'failed', error: 'the agent cancelled the task', retry: true };
  }
}

function refusal(error: RequestError): JobEnd {
  if (error.code === AUTH_REQUIRED) {
    const why = 'the agent is not signed in: run it by hand once, or give it its key in env';
    return { kind: 'failed', error: why, retry: false };
  }
  return { kind: 'failed', error: `the agent answered: ${error.message}`, retry: true };
}
