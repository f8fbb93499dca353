import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { EngineContext } from '../engine/context.js';
import { SvcError, type Warning } from '../engine/errors/index.js';
import { environmentSecrets } from '../engine/secrets/mask/environment-secrets.js';
import { createSecretMask } from '../engine/secrets/mask/secret-mask.js';
import { createStyle, type Style } from '../ui/style.js';
import { createContext } from './context.js';
import { globalFlags } from './flags.js';
import type { LeanConfig } from './lean-config.js';
import { ownWords } from './own-words.js';
import { type ErrorReport, exitCodeOf, formatErrorText, reportError } from './report-error.js';
import { type TerminalSupport, terminalSupport } from './terminal.js';

/** How text is drawn on an output. */
export interface View {
  readonly style: Style;
  /** Width of the terminal; undefined (a pipe) leaves every line whole. */
  readonly columns: number | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly homeDir: string;
}

/**
 * What every command is built on. A command parses its flags, makes one engine call, writes the
 * text form through {@link write} and returns the JSON form, which is printed with `--json`.
 *
 * It repairs oclif's JSON mode: exit codes are the same with and without `--json`, errors are an
 * allow-list of fields, warnings reach the document, and no colour codes get into it.
 */
export abstract class BaseCommand<Result extends object> extends Command {
  static override baseFlags = globalFlags;

  constructor(argv: string[], config: LeanConfig) {
    // The declared type is all of oclif's configuration; a command reads no more than this of it.
    super(argv, config as Config);
  }

  /** Everything that is printed goes through it; all secrets that are read are told to it. */
  protected readonly mask = createSecretMask(environmentSecrets(process.env));

  /** True where the answer is text of the person's own files, which nobody may change on the way. */
  protected readonly answersVerbatim: boolean = false;

  private readonly warnings: Warning[] = [];
  private readonly interruption = new AbortController();
  private readonly onInterrupt = (): void => this.interrupt();

  /** Parses, runs and reports; never throws for a failed command (see {@link catch}). */
  async start(): Promise<void> {
    await this._run();
  }

  abstract override run(): Promise<Result>;

  protected override async init(): Promise<void> {
    process.on('SIGINT', this.onInterrupt);
  }

  protected override async finally(): Promise<void> {
    process.off('SIGINT', this.onInterrupt);
  }

  /** True with `--json` (before a `--`) or `SVC_JSON` in the environment. */
  override jsonEnabled(): boolean {
    // The words that oclif takes for yes, so that this twin reads like those of other flags.
    const twin = process.env['SVC_JSON']?.toLowerCase() ?? '';
    return ownWords(this.argv).includes('--json') || ['1', 'true', 'y', 'yes'].includes(twin);
  }

  protected override logJson(json: unknown): void {
    const shown = this.answersVerbatim ? json : this.mask.data(json);
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  }

  protected override toSuccessJson(result: unknown): unknown {
    if (typeof result !== 'object' || result === null) return result;
    return { ...result, warnings: this.warnings };
  }

  protected override toErrorJson(error: unknown): { error: ErrorReport } {
    return { error: reportError(error, this.mask) };
  }

  protected override async catch(error: Error): Promise<void> {
    const report = reportError(error, this.mask);
    process.exitCode = exitCodeOf(report);
    if (this.jsonEnabled()) {
      this.logJson(this.toErrorJson(error));
      return;
    }
    process.stderr.write(formatErrorText(report));
    if (report.code === 'BUG' || this.argv.includes('--verbose')) {
      process.stderr.write(`${this.mask.text(error.stack ?? '')}\n`);
    }
  }

  /** Ctrl-C: the first lets the work finish its transaction, the second does not wait. */
  protected interrupt(): void {
    if (this.interruption.signal.aborted) process.exit(130);
    this.interruption.abort(new SvcError('INTERRUPTED', 'stopped'));
  }

  /** The engine's view of this process. */
  protected context(): EngineContext {
    return createContext(this.mask.learn);
  }

  /** Aborts on Ctrl-C; its reason is an INTERRUPTED error. */
  protected get signal(): AbortSignal {
    return this.interruption.signal;
  }

  /** What may be drawn on the terminal, given the flags. */
  protected terminal(flags: { readonly plain: boolean }): TerminalSupport {
    return terminalSupport(process.env, process, { json: this.jsonEnabled(), plain: flags.plain });
  }

  /** How the answer is drawn on stdout, given the flags. */
  protected view(flags: { readonly plain: boolean }): View {
    const { color, columns } = this.terminal(flags);
    const { clock, homeDir } = this.context();
    return {
      style: createStyle(color),
      columns: process.stdout.isTTY ? columns : undefined,
      nowMs: clock.now(),
      homeDir,
    };
  }

  /** Writes a part of the answer to stdout; nothing in JSON mode. */
  protected write(text: string): void {
    if (this.jsonEnabled()) return;
    const shown = this.answersVerbatim ? text : this.mask.text(text);
    process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }

  /** Writes progress or an aside to stderr; nothing in JSON mode. */
  protected note(text: string): void {
    if (this.jsonEnabled()) return;
    const shown = this.mask.text(text);
    process.stderr.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }

  /** Says a warning: on stderr, or in `warnings` of the JSON document. */
  protected addWarning(said: Warning): void {
    const warning = this.mask.data(said);
    // Several agents share one configuration: what is wrong with it is said once.
    if (this.warnings.some(({ message }) => message === warning.message)) return;
    this.warnings.push(warning);
    this.note(`warning: ${warning.message}`);
    if (warning.hint !== undefined) this.note(`   mend: ${warning.hint}`);
  }

  /** Fails the process without an error: a check that found faults. */
  protected setExitCode(code: number): void {
    process.exitCode = code;
  }
}
