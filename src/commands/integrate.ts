import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../cli/base-command.js';
import { programFacts } from '../cli/context.js';
import {
  type FlagsOf,
  missingArgument,
  optionalArg,
  switchFlag,
  targetFlags,
  textFlag,
  yesFlag,
} from '../cli/flags.js';
import {
  AGENT_IDS,
  agentNamed,
  applyIntegration,
  changesFiles,
  hookWarning,
  type IntegrateContext,
  type IntegrateOutput,
  type IntegrationPlan,
  type IntegrationScope,
  type IntegrationsOutput,
  integrateOutput,
  listIntegrations,
  prepareIntegration,
} from '../engine/integrate/index.js';
import { planQuestion, renderAgents, renderIntegration, renderPlan } from '../ui/integrate/plan.js';

export default class Integrate extends BaseCommand {
  static override summary = 'Register the memory tools with a coding agent.';
  static override description =
    `Adds "svc mcp" to the agent's configuration file, after showing the change and asking. Everything else in the file stays as it is, and --remove removes the entry again. --agent, --workspace and --config are passed on to the server.

With --active-memory, the agent also runs "svc memory recall" before each turn, and active memory is enabled in svc.json. With --capture, it runs "svc memory capture" before it compacts a conversation and at the end of a session. Not every agent supports these.

With --remote, the agent connects to a server that runs elsewhere ("svc mcp --http"). The entry refers to a variable with the token and never contains it.`;
  static override examples = examples(
    '--list',
    'claude-code --active-memory --capture',
    'codex --workspace ./notes --name svc-notes',
    'claude-code --remote https://memory.example.com/mcp --token-env SVC_MCP_TOKEN --dry-run',
    'vscode --project --dry-run',
    'cursor --remove --yes',
  );
  static override args = { agent: optionalArg(`One of ${AGENT_IDS.join(', ')}.`) };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    list: switchFlag('List agents, whether they were found, and whether svc is registered.', {
      exclusive: ['remove', 'active-memory', 'capture', 'remote'],
    }),
    remove: switchFlag('Remove the registration, including active memory and capture.', {
      exclusive: ['active-memory', 'capture', 'remote'],
    }),
    project: switchFlag("Use the agent's configuration in the current folder, not your own."),
    name: Flags.string({
      summary: 'Name of the server in the agent, to register several memories.',
      helpValue: 'NAME',
      default: 'svc',
    }),
    'active-memory': switchFlag(
      'Also recall memory before each turn, where the agent supports it.',
    ),
    capture: switchFlag('Also capture what was decided, where the agent supports it.'),
    remote: textFlag('Connect to the MCP server at this URL instead of starting one.', 'URL', {
      exclusive: ['agent', 'workspace', 'config', 'active-memory', 'capture'],
    }),
    'token-env': Flags.string({
      summary: 'Variable with the token for --remote, in the environment of the agent.',
      helpValue: 'NAME',
      // With dependsOn, the usage line would have a gap where --remote was.
      relationships: [{ type: 'all', flags: ['remote'] }],
    }),
    'dry-run': switchFlag('Show the change without writing it.'),
  };

  async run(): Promise<IntegrateOutput | IntegrationsOutput> {
    const { args, flags } = await this.parse(Integrate);
    const scope = flags.project ? 'project' : 'user';
    if (flags.list) return this.listAgents(args.agent, scope);
    if (args.agent === undefined) {
      throw missingArgument('AGENT', `pass one of ${AGENT_IDS.join(', ')}, or --list`);
    }
    return this.integrate(args.agent, scope, flags);
  }

  private async listAgents(
    name: string | undefined,
    scope: IntegrationScope,
  ): Promise<IntegrationsOutput> {
    const context = this.integrateContext();
    const ids = name === undefined ? AGENT_IDS : [agentNamed(name).id];
    const agents = await listIntegrations(context, scope, ids, programFacts());
    this.write(renderAgents(agents, this.view()));
    return {
      scope,
      agents: agents.map(({ title: _, canRecall: __, canCapture: ___, ...agent }) => agent),
    };
  }

  private async integrate(
    name: string,
    scope: IntegrationScope,
    flags: FlagsOf<typeof Integrate>,
  ): Promise<IntegrateOutput> {
    const context = this.integrateContext();
    const { agent, workspace, config } = flags;
    const { plan, warnings } = await prepareIntegration(context, {
      agent: name,
      scope,
      action: flags.remove ? 'remove' : 'add',
      name: flags.name,
      target: { agent, workspace, config },
      activeMemory: flags['active-memory'],
      capture: flags.capture,
      remote:
        flags.remote === undefined
          ? undefined
          : { url: flags.remote, tokenEnv: flags['token-env'] },
      program: programFacts(),
    });
    this.addWarnings(warnings);
    const view = this.view();
    this.write(renderPlan(plan, view));
    if (flags['dry-run']) return integrateOutput(plan, false);
    if (!changesFiles(plan)) {
      await this.warnOfHook(context, plan);
      return integrateOutput(plan, false);
    }
    if (!(await this.agrees(planQuestion(plan, context.homeDir), flags))) {
      this.write('nothing written');
      return integrateOutput(plan, false);
    }
    const applied = await applyIntegration(context, plan, this.signal);
    this.write(renderIntegration(applied, view));
    await this.warnOfHook(context, applied);
    return integrateOutput(applied, true);
  }

  private async warnOfHook(context: IntegrateContext, plan: IntegrationPlan): Promise<void> {
    const warning = await hookWarning(context, plan);
    if (warning !== undefined) this.addWarning(warning);
  }

  private integrateContext(): IntegrateContext {
    return { ...this.context(), platform: process.platform };
  }
}
