import type { ServeOutput } from '../engine/serve/index.js';
import { serveOutput } from '../engine/serve/serve-process.js';
import { BaseCommand } from './base-command.js';
import { type ShownServeOptions, shownServe } from './shown-serve.js';

interface ServeFlags {
  readonly config?: string | undefined;
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Base of the commands that run until they are stopped: `svc serve` and `svc webhook serve`. */
export abstract class ServeCommand<Result extends object> extends BaseCommand<Result> {
  /** Something may still be running: a service, or a request. */
  private isCutOff = false;

  protected async serve(
    flags: ServeFlags,
    what: Pick<ShownServeOptions, 'adjust' | 'jsonLogs' | 'webhooksScreen' | 'without'>,
  ): Promise<ServeOutput> {
    const end = await shownServe({
      ...what,
      context: this.context(),
      configFile: flags.config,
      terminal: await this.screenTerminal(flags),
      quiet: flags.quiet,
      verbose: flags.verbose,
      mask: this.mask,
    });
    if (end.reason === 'SIGINT') this.setExitCode(130);
    else if (end.reason === 'crash' || !end.isDrained) this.setExitCode(1);
    this.isCutOff = !end.isDrained;
    return serveOutput(end);
  }

  protected override async finally(): Promise<void> {
    await super.finally();
    // Runs after the result is printed.
    if (this.isCutOff) setImmediate(() => process.exit());
  }
}
