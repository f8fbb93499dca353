import { SvcError, type Warning } from '../../engine/errors/index.js';
import {
  AGENT_IDS,
  type AgentId,
  agentNamed,
  applyIntegration,
  changesFiles,
  type IntegrateContext,
  type ListedAgent,
  listIntegrations,
  prepareIntegration,
} from '../../engine/integrate/index.js';
import { planQuestion, renderIntegration, renderPlan } from '../../ui/integrate/plan.js';
import { safeLine, shownPath } from '../../ui/safe-text.js';
import type { CommandContext } from '../command-context.js';
import { programFacts } from '../context.js';
import { askChoice, askYes, type Choice } from '../prompts.js';

/**
 * Offers to register the memory with a coding agent, as `svc integrate` does. The set-up is done by then, so
 * leaving a question is no failure, and what cannot be written is a warning.
 *
 * @param configFile the configuration that was set up
 */
export async function offerIntegration(
  configFile: string,
  command: CommandContext,
  warn: (warning: Warning) => void,
): Promise<void> {
  const context = { ...command.context, platform: process.platform };
  try {
    const agents = await listIntegrations(context, 'user', AGENT_IDS, programFacts());
    const chosen = await askAgent(agents, command);
    if (chosen !== undefined)
      await integrate({ agent: chosen, configFile }, context, command, warn);
  } catch (error) {
    if (command.signal.aborted || !(error instanceof SvcError)) throw error;
    if (error.code !== 'INTERRUPTED') {
      warn({ code: 'INTEGRATION_DOUBTFUL', message: error.message, hint: error.hint });
    }
  }
}

/** Which agent to register with; undefined for none. */
async function askAgent(
  agents: readonly ListedAgent[],
  { context: { homeDir }, signal }: CommandContext,
): Promise<AgentId | undefined> {
  const choiceOf = (agent: ListedAgent): Choice<AgentId> => {
    const hint = `${isRegistered(agent) ? 'already registered in' : 'adds svc to'} ${shownPath(agent.file, homeDir)}`;
    return { value: agent.agent, label: agent.title, hint: safeLine(hint) };
  };
  const found = agents.filter(({ detected }) => detected);
  const others = agents.filter(({ detected }) => !detected);
  const another: Choice<'another'> = {
    value: 'another',
    label: 'another agent',
    hint: `not found on this machine: ${others.map(({ title }) => title).join(', ')}`,
  };
  const later: Choice<'later'> = {
    value: 'later',
    label: 'not now',
    hint: '"svc integrate AGENT" does it at any time',
  };
  const answer = await askChoice<AgentId | 'another' | 'later'>(
    'Give a coding agent this memory?',
    [...found.map(choiceOf), ...(others.length === 0 ? [] : [another]), later],
    {
      initial: found.find((agent) => !isRegistered(agent))?.agent ?? 'later',
      help: 'The agent can then search this memory with the tools of "svc mcp". You see the change before it is written.',
      signal,
    },
  );
  if (answer === 'later') return undefined;
  if (answer !== 'another') return answer;
  const help =
    'svc did not find these agents on this machine. It adds itself to their configuration anyway.';
  return askChoice('Which coding agent?', others.map(choiceOf), { help, signal });
}

function isRegistered({ servers, moved }: ListedAgent): boolean {
  return servers.length > moved.length;
}

async function integrate(
  { agent, configFile }: { readonly agent: AgentId; readonly configFile: string },
  context: IntegrateContext,
  { view, signal, write }: CommandContext,
  warn: (warning: Warning) => void,
): Promise<void> {
  const { plan, warnings } = await prepareIntegration(context, {
    agent,
    scope: 'user',
    action: 'add',
    name: 'svc',
    // Agents start in other folders, where only the user's configuration is found.
    target: configFile === context.state.userConfigFile ? {} : { config: configFile },
    activeMemory: false,
    capture: false,
    program: programFacts(),
  });
  for (const warning of warnings) warn(warning);
  write(`\n${renderPlan(plan, view)}`);
  if (!changesFiles(plan)) return;
  const help = `Yes writes the lines above. No leaves ${agentNamed(agent).title} as it is.`;
  if (!(await askYes(planQuestion(plan, context.homeDir), true, { help, signal }))) {
    write('nothing written');
    return;
  }
  write(`\n${renderIntegration(await applyIntegration(context, plan, signal), view)}`);
}
