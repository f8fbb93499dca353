import { resolve } from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.js';
import { targetFlags, withEnvironment, yesFlag } from '../cli/flags.js';
import { recallTimeoutMs, requireTarget } from '../cli/integrate-target.js';
import { confirm } from '../cli/prompts.js';
import { SvcError } from '../engine/errors/index.js';
import {
  AGENT_IDS,
  agentNamed,
  applyIntegration,
  hasHook,
  hookWarning,
  type IntegrateOutput,
  type IntegrateWorld,
  type IntegrationPlan,
  type IntegrationScope,
  type IntegrationsOutput,
  integrateOutput,
  integrationsOutput,
  listIntegrations,
  type MemoryTarget,
  type ProgramFacts,
  planIntegration,
  planWarnings,
} from '../engine/integrate/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { planQuestion, renderAgents, renderDone, renderPlan } from '../ui/integrate/plan.js';

interface IntegrateFlags {
  readonly plain: boolean;
  readonly agent?: string | undefined;
  readonly workspace?: string | undefined;
  readonly config?: string | undefined;
  readonly yes: boolean;
  readonly remove: boolean;
  readonly project: boolean;
  readonly name: string;
  readonly 'active-memory': boolean;
  readonly 'dry-run': boolean;
}

export default class Integrate extends BaseCommand<IntegrateOutput | IntegrationsOutput> {
  static override summary = 'Register the memory tools with a coding agent.';
  static override description =
    `Adds "svc mcp" to the agent's configuration file, after showing the change and asking. Everything else in the file stays as it is, and --remove removes the entry again. --agent, --workspace and --config are passed on to the server.

With --active-memory, the agent also runs "svc memory recall" before each turn, and active memory is enabled in svc.json. Not every agent supports this.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --list',
    '<%= config.bin %> <%= command.id %> claude-code --active-memory',
    '<%= config.bin %> <%= command.id %> codex --workspace ./notes --name svc-notes',
    '<%= config.bin %> <%= command.id %> vscode --project --dry-run',
    '<%= config.bin %> <%= command.id %> cursor --remove --yes',
  ];
  static override args = {
    agent: Args.string({
      description: `one of ${AGENT_IDS.join(', ')}`,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    ...withEnvironment({
      list: Flags.boolean({
        summary: 'List agents, whether they were found, and whether svc is registered.',
        exclusive: ['remove', 'active-memory'],
      }),
      remove: Flags.boolean({
        summary: 'Remove the registration, including active memory.',
        exclusive: ['active-memory'],
      }),
      project: Flags.boolean({
        summary: "Use the agent's configuration in the current folder, not your own.",
      }),
      name: Flags.string({
        summary: 'Name of the server in the agent, to register several memories.',
        helpValue: 'NAME',
        default: 'svc',
      }),
      'active-memory': Flags.boolean({
        summary: 'Also recall memory before each turn, where the agent supports it.',
      }),
      'dry-run': Flags.boolean({ summary: 'Show the change without writing it.' }),
    }),
  };

  async run(): Promise<IntegrateOutput | IntegrationsOutput> {
    const { args, flags } = await this.parse(Integrate);
    const scope = flags.project ? 'project' : 'user';
    if (flags.list) return await this.listAgents(args.agent, scope, flags);
    if (args.agent === undefined) {
      throw new SvcError('USAGE', 'missing argument: AGENT', {
        hint: `pass one of ${AGENT_IDS.join(', ')}, or --list`,
      });
    }
    return this.integrate(args.agent, scope, flags);
  }

  private async listAgents(
    name: string | undefined,
    scope: IntegrationScope,
    flags: { readonly plain: boolean },
  ): Promise<IntegrationsOutput> {
    const world = this.world();
    const ids = name === undefined ? AGENT_IDS : [agentNamed(name).id];
    const agents = await listIntegrations(world, scope, ids, programFacts());
    this.write(renderAgents(agents, this.view(flags)));
    return integrationsOutput(scope, agents);
  }

  private async integrate(
    name: string,
    scope: IntegrationScope,
    flags: IntegrateFlags,
  ): Promise<IntegrateOutput> {
    const world = this.world();
    const agent = agentNamed(name);
    const action = flags.remove ? 'remove' : 'add';
    const target = absoluteTarget(flags, world.cwd);
    if (action === 'add') await requireTarget(world, target);
    const wantsHook = flags['active-memory'];
    const plan = planIntegration(world, {
      agent,
      scope,
      action,
      name: flags.name,
      target,
      hookTimeoutMs: wantsHook
        ? await recallTimeoutMs(world, target, hasHook(agent.hook))
        : undefined,
      program: programFacts(),
    });
    for (const warning of action === 'add' ? planWarnings(plan) : []) this.addWarning(warning);
    const options = this.view(flags);
    this.write(renderPlan(plan, options));
    if (flags['dry-run'] || plan.files.every(({ changes }) => changes.length === 0)) {
      if (!flags['dry-run']) await this.warnOfHook(world, plan);
      return integrateOutput(plan, false);
    }
    const question = planQuestion(plan, world.homeDir);
    const agreed = flags.yes || (await confirm(question, this.terminal(flags).screen, this.signal));
    if (!agreed) {
      this.write('nothing written');
      return integrateOutput(plan, false);
    }
    const done = await applyIntegration(world, plan, this.signal);
    this.write(renderDone(done, options));
    await this.warnOfHook(world, done);
    return integrateOutput(done, true);
  }

  private async warnOfHook(world: IntegrateWorld, plan: IntegrationPlan): Promise<void> {
    const warning = await hookWarning(world, plan);
    if (warning !== undefined) this.addWarning(warning);
  }

  private world(): EngineContext & IntegrateWorld {
    return { ...this.context(), platform: process.platform };
  }
}

function programFacts(): ProgramFacts {
  return { node: process.execPath, script: resolve(process.argv[1] ?? '') };
}

function absoluteTarget({ agent, workspace, config }: MemoryTarget, cwd: string): MemoryTarget {
  const absolute = (path: string | undefined) =>
    path === undefined ? undefined : resolve(cwd, path);
  return { agent, workspace: absolute(workspace), config: absolute(config) };
}
