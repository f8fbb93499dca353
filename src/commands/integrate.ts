import { resolve } from 'node:path';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.js';
import { confirm } from '../cli/confirm.js';
import { targetFlags, withEnvironment, yesFlag } from '../cli/flags.js';
import { recallTimeoutMs, requireTarget } from '../cli/integrate-target.js';
import type { EngineContext } from '../engine/context.js';
import { SvcError } from '../engine/errors/index.js';
import {
  AGENT_IDS,
  agentNamed,
  applyIntegration,
  hasHook,
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
} from '../engine/integrate/index.js';
import { renderAgents } from '../ui/integrate/list.js';
import { planQuestion, renderDone, renderPlan } from '../ui/integrate/plan.js';

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
  static override summary = 'Give a coding agent the memory tools.';
  static override description =
    `Registers "svc mcp" with the agent in its own configuration file, shows what changes there, and writes it when you agree. Everything else in the file stays as it is, and --remove takes the entry back. --agent, --workspace and --config are passed on to the server.

With --active-memory the agent also runs "svc memory recall" before each turn; agents without such a hook cannot.`;
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
      // Nobody pipes a name.
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    ...withEnvironment({
      list: Flags.boolean({
        summary: 'List the agents, or the one named: which are here, and which know svc.',
        exclusive: ['remove', 'active-memory'],
      }),
      remove: Flags.boolean({
        summary: 'Take out what svc registered, active memory included.',
        exclusive: ['active-memory'],
      }),
      project: Flags.boolean({
        summary: "Use the current folder's configuration of the agent, not your own.",
      }),
      name: Flags.string({
        summary: 'What the agent calls the server; for several memories side by side.',
        helpValue: 'NAME',
        default: 'svc',
      }),
      'active-memory': Flags.boolean({
        summary: 'Also recall before each turn, where the agent has a hook for it.',
      }),
      'dry-run': Flags.boolean({ summary: 'Show what would change, and write nothing.' }),
    }),
  };

  async run(): Promise<IntegrateOutput | IntegrationsOutput> {
    const { args, flags } = await this.parse(Integrate);
    const scope = flags.project ? 'project' : 'user';
    if (flags.list) return this.listAgents(args.agent, scope, flags);
    if (args.agent === undefined) {
      throw new SvcError('USAGE', 'no agent is named', {
        hint: `name one of ${AGENT_IDS.join(', ')}, or add --list`,
      });
    }
    return this.integrate(args.agent, scope, flags);
  }

  private listAgents(
    name: string | undefined,
    scope: IntegrationScope,
    flags: { readonly plain: boolean },
  ): IntegrationsOutput {
    const world = this.world();
    const wanted = name === undefined ? AGENT_IDS : [agentNamed(name).id];
    const agents = listIntegrations(world, scope, wanted, programFacts());
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
    if (action === 'add') this.warnOf(plan);
    const options = this.view(flags);
    this.write(renderPlan(plan, options));
    if (flags['dry-run'] || plan.files.every(({ changes }) => changes.length === 0)) {
      return integrateOutput(plan, false);
    }
    const question = planQuestion(plan, world.homeDir);
    const agreed = flags.yes || (await confirm(question, this.terminal(flags).screen, this.signal));
    if (!agreed) {
      this.write('nothing was written');
      return integrateOutput(plan, false);
    }
    const done = await applyIntegration(world, plan, this.signal);
    this.write(renderDone(done, options));
    return integrateOutput(done, true);
  }

  private warnOf({ request, isDetected, isPassing }: IntegrationPlan): void {
    const { title } = request.agent;
    if (!isDetected && request.scope === 'user') {
      this.addWarning({
        code: 'INTEGRATION_DOUBTFUL',
        message: `there is no sign of ${title} on this machine`,
      });
    }
    if (isPassing) {
      this.addWarning({
        code: 'INTEGRATION_DOUBTFUL',
        message: 'svc runs from the cache of npx, which is emptied some day',
        hint: 'install svc for good (npm install -g), and run this again',
      });
    }
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
