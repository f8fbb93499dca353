import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../cli/base-command.js';
import { withEnvironment } from '../../../cli/flags.js';
import { currentPlatform } from '../../../cli/platform.js';
import { runSteps, type Step } from '../../../cli/steps.js';
import { loadConfig, resolveAgent } from '../../../engine/config/index.js';
import {
  type EnsuredModel,
  ensureModel,
} from '../../../engine/embeddings/adapters/local/ensure-model.js';
import {
  installRuntime,
  removeRuntime,
} from '../../../engine/embeddings/local-runtime/install-runtime.js';
import { runtimesDir } from '../../../engine/embeddings/local-runtime/runtime-store.js';
import type { InstallLocalOutput } from '../../../engine/embeddings/output-schemas.js';
import { formatBytes } from '../../../ui/format.js';
import { installNote, modelNote } from '../../../ui/provider/install-words.js';
import { safeLine } from '../../../ui/safe-text.js';
import { shownPath } from '../../../ui/shown-path.js';

interface InstallFlags {
  readonly config?: string | undefined;
  readonly force?: boolean | undefined;
  readonly gpu?: boolean | undefined;
  readonly model?: string | undefined;
}

type RuntimeOutput = InstallLocalOutput['runtime'];

export default class ProviderInstallLocal extends BaseCommand<InstallLocalOutput> {
  static override summary = 'Install what the "local" provider needs: its runtime and its model.';
  static override description =
    `Embeds on this machine, with no key and no service. The runtime is the npm package node-llama-cpp (about 80 MB, 720 MB with --gpu), which npm puts into the state folder; nothing is compiled and no script is run. The model is the one that local.modelPath of the default agent names, else a small multilingual one.

Ctrl-C stops it; a runtime is installed whole or not at all, and a download goes on where it ended.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --gpu',
    '<%= config.bin %> <%= command.id %> --model hf:nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0',
    '<%= config.bin %> <%= command.id %> --no-model --json',
    '<%= config.bin %> <%= command.id %> --remove',
  ];
  static override flags = withEnvironment({
    gpu: Flags.boolean({ summary: 'With the variants for GPUs (CUDA, Vulkan).' }),
    force: Flags.boolean({ char: 'f', summary: 'Install the runtime anew when it is there.' }),
    model: Flags.string({
      summary: 'Download this model: hf:user/repo/file.gguf, hf:user/repo:Q8_0 or an address.',
      helpValue: 'REF',
      exclusive: ['no-model'],
    }),
    'no-model': Flags.boolean({ summary: 'The runtime alone.' }),
    remove: Flags.boolean({
      summary: 'Remove the runtime; models are kept.',
      exclusive: ['force', 'gpu', 'model', 'no-model'],
    }),
  });

  async run(): Promise<InstallLocalOutput> {
    const { flags } = await this.parse(ProviderInstallLocal);
    if (flags.remove) return this.removeRuntime();
    // First, so that a wrong configuration is told before anything is fetched.
    const local = flags['no-model'] ? undefined : await this.modelSettings(flags);
    let runtime: RuntimeOutput | undefined;
    let model: EnsuredModel | undefined;
    const steps: Step[] = [
      {
        title: 'runtime of local models',
        run: async (say) => {
          const installed = await this.installRuntime(flags, say);
          runtime = installed.output;
          return installed.words;
        },
      },
    ];
    if (local !== undefined) {
      steps.push({
        title: 'model',
        run: async (say) => {
          model = await this.fetchModel(local, say);
          return this.modelWords(model);
        },
      });
    }
    const { screen, progress } = this.terminal(flags);
    await runSteps(steps, {
      live: screen && progress,
      quiet: flags.quiet || this.jsonEnabled(),
      mask: this.mask,
      note: (line) => this.note(line),
    });
    if (runtime === undefined) throw new Error('the installation gave no result');
    if (!flags.quiet) this.write(nextWords(flags.model));
    return { runtime, model: model === undefined ? null : modelOutput(model) };
  }

  private async installRuntime(
    flags: InstallFlags,
    say: Parameters<Step['run']>[0],
  ): Promise<{ readonly output: RuntimeOutput; readonly words: string }> {
    const { env, state } = this.context();
    const startedMs = performance.now();
    const { outcome, runtime, computesWith } = await installRuntime({
      dir: runtimesDir(state.stateDir),
      platform: currentPlatform(),
      // Undefined when they are not given, whatever oclif's types say.
      gpu: flags.gpu === true,
      force: flags.force === true,
      env,
      nodePath: process.execPath,
      signal: this.signal,
      onEvent: (event) => say(installNote(event, performance.now() - startedMs)),
    });
    const { folder, version, gpu, bytes } = runtime;
    const output = { outcome, version, folder, gpu, bytes } as const;
    const idle = outcome === 'installed' && gpu && computesWith === null;
    const words = this.runtimeWords(output);
    return {
      output,
      words: idle ? `${words}; it finds no GPU to use, and uses the processor` : words,
    };
  }

  private async modelSettings(flags: InstallFlags) {
    const context = this.context();
    const loaded = await loadConfig(context, { configFile: flags.config });
    for (const warning of loaded.warnings) this.addWarning(warning);
    const { local } = resolveAgent(loaded, undefined, context).memorySearch;
    return { ...local, modelPath: flags.model ?? local.modelPath };
  }

  private fetchModel(
    local: { readonly modelCacheDir: string; readonly modelPath: string | undefined },
    say: Parameters<Step['run']>[0],
  ): Promise<EnsuredModel> {
    return ensureModel({
      local,
      env: this.context().env,
      signal: this.signal,
      onEvent: (event) => {
        const note = modelNote(event);
        if (note !== undefined) say(note);
      },
      nowMs: () => performance.now(),
      random: Math.random,
    });
  }

  private async removeRuntime(): Promise<InstallLocalOutput> {
    const { state } = this.context();
    const removed = await removeRuntime({
      dir: runtimesDir(state.stateDir),
      platform: currentPlatform(),
      signal: this.signal,
    });
    if (removed === undefined) {
      this.write('the runtime is not installed');
      const runtime = {
        outcome: 'absent',
        version: null,
        folder: null,
        gpu: false,
        bytes: 0,
      } as const;
      return { runtime, model: null };
    }
    const { folder, version, gpu, bytes } = removed;
    this.write(`removed node-llama-cpp ${version} (${formatBytes(bytes)})`);
    return { runtime: { outcome: 'removed', version, folder, gpu, bytes }, model: null };
  }

  private runtimeWords({ outcome, version, folder, gpu, bytes }: RuntimeOutput): string {
    const what = `node-llama-cpp ${version}${gpu ? ' with GPU variants' : ''}`;
    const where = folder === null ? '' : ` in ${shownPath(folder, this.context().homeDir)}`;
    return outcome === 'already'
      ? `${what} is installed already${where}`
      : `installed ${what} (${formatBytes(bytes)})${where}`;
  }

  private modelWords({ name, path, bytes, downloaded }: EnsuredModel): string {
    const where = shownPath(path, this.context().homeDir);
    return downloaded
      ? `downloaded ${safeLine(name)} (${formatBytes(bytes)}) to ${where}`
      : `${safeLine(name)} (${formatBytes(bytes)}) is there already: ${where}`;
  }
}

/** What is left to do. @param reference the model that was named */
function nextWords(reference: string | undefined): string {
  const model =
    reference === undefined ? '' : `, and memorySearch.local.modelPath to "${safeLine(reference)}"`;
  return `the local provider is ready; set memorySearch.provider to "local"${model}`;
}

function modelOutput({ name, path, bytes, downloaded }: EnsuredModel): InstallLocalOutput['model'] {
  return { outcome: downloaded ? 'downloaded' : 'already', name, path, bytes };
}
