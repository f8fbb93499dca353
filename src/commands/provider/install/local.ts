import { BaseCommand, examples } from '../../../cli/base-command.js';
import { currentPlatform } from '../../../cli/context.js';
import { switchFlag, textFlag } from '../../../cli/flags.js';
import { installNotes, runSteps, type Step } from '../../../cli/steps.js';
import { type MemorySearchSettings, resolveAgent } from '../../../engine/config/index.js';
import { ensureModel } from '../../../engine/providers/local/download/download-model.js';
import type { InstallLocalOutput } from '../../../engine/providers/local/output-schemas.js';
import { installRuntime, removeRuntime } from '../../../engine/providers/local/runtime/install.js';
import {
  type InstalledRuntime,
  runtimesDir,
} from '../../../engine/providers/local/runtime/store.js';
import { modelNote, modelOutcomeWords, runtimeWords } from '../../../ui/provider/install-words.js';
import { safeLine } from '../../../ui/safe-text.js';

type Runtime = InstallLocalOutput['runtime'];

export default class ProviderInstallLocal extends BaseCommand {
  static override summary = 'Install the runtime and model of the "local" provider.';
  static override description =
    `Embeds on this machine, without a key or service. The runtime is the npm package node-llama-cpp (about 80 MB, 720 MB with --gpu), which npm installs into the state folder; nothing is compiled and no package scripts run. The model is set by local.modelPath of the default agent; the default is a small multilingual model.

You can interrupt it at any time: the runtime is installed completely or not at all, and downloads resume.`;
  static override examples = examples(
    '',
    '--gpu',
    '--model hf:nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0',
    '--no-model --json',
    '--remove',
  );
  static override flags = {
    gpu: switchFlag('Include the GPU variants (CUDA, Vulkan).'),
    force: switchFlag('Reinstall the runtime.', { char: 'f' }),
    model: textFlag(
      'Download this model: hf:user/repo/file.gguf, hf:user/repo:Q8_0 or a URL.',
      'REF',
      { exclusive: ['no-model'] },
    ),
    // Not in the list of "remove": oclif has it in the group of "model" already, and would leave a gap.
    'no-model': switchFlag('Install only the runtime.', { exclusive: ['remove'] }),
    remove: switchFlag('Remove the runtime; models are kept.', {
      exclusive: ['force', 'gpu', 'model'],
    }),
  };

  async run(): Promise<InstallLocalOutput> {
    const { flags } = await this.parse(ProviderInstallLocal);
    if (flags.remove) return this.remove();
    // Read first, so that a configuration error is reported before anything is downloaded.
    const settings = flags['no-model']
      ? undefined
      : resolveAgent(await this.loadConfig(), undefined, this.context()).memorySearch;
    const { env, state, homeDir } = this.context();
    let runtime: Runtime | undefined;
    let model: InstallLocalOutput['model'] = null;
    const steps: Step[] = [
      {
        title: 'runtime of local models',
        run: async (say) => {
          const installed = await installRuntime({
            dir: runtimesDir(state.stateDir),
            platform: currentPlatform(),
            // Undefined if not given, whatever oclif's types say.
            gpu: flags.gpu === true,
            force: flags.force === true,
            env,
            nodePath: process.execPath,
            signal: this.signal,
            onEvent: installNotes(say),
          });
          runtime = { outcome: installed.outcome, ...runtimeOutput(installed.runtime) };
          return runtimeWords(runtime, installed.computesWith, homeDir);
        },
      },
    ];
    if (settings !== undefined) {
      const { local } = settings;
      steps.push({
        title: 'model',
        run: async (say) => {
          model = await ensureModel({
            local: { ...local, modelPath: flags.model ?? local.modelPath },
            env,
            signal: this.signal,
            onEvent: (event) => {
              const note = modelNote(event);
              if (note !== undefined) say(note);
            },
          });
          return modelOutcomeWords(model, homeDir);
        },
      });
    }
    await runSteps(steps, this.stepsOptions());
    if (runtime === undefined) throw new Error('the installation gave no result');
    if (!flags.quiet)
      this.write(settings === undefined ? RUNTIME_READY : readyText(settings, flags.model));
    return { runtime, model };
  }

  private async remove(): Promise<InstallLocalOutput> {
    const removed = await removeRuntime({
      dir: runtimesDir(this.context().state.stateDir),
      platform: currentPlatform(),
      signal: this.signal,
    });
    const none = { version: null, folder: null, gpu: false, bytes: 0 };
    const runtime: Runtime =
      removed === undefined
        ? { outcome: 'absent', ...none }
        : { outcome: 'removed', ...runtimeOutput(removed) };
    this.write(runtimeWords(runtime, undefined, this.context().homeDir));
    return { runtime, model: null };
  }
}

function runtimeOutput({
  version,
  folder,
  gpu,
  bytes,
}: InstalledRuntime): Omit<Runtime, 'outcome'> {
  return { version, folder, gpu, bytes };
}

const RUNTIME_READY =
  'the runtime of local models is ready; "svc provider install local" downloads the model';

function readyText({ provider, local }: MemorySearchSettings, model: string | undefined): string {
  const left = [
    ...(provider === 'local' ? [] : ['memorySearch.provider to "local"']),
    ...(model === undefined || model === local.modelPath
      ? []
      : [`memorySearch.local.modelPath to "${safeLine(model)}"`]),
  ];
  return `the local provider is ready${left.length === 0 ? '' : `; set ${left.join(' and ')}`}`;
}
