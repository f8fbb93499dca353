import { BaseCommand, examples } from '../cli/base-command.js';
import { completeWords } from '../cli/complete-words.js';

export default class Complete extends BaseCommand {
  static override hidden = true;
  static override strict = false;
  static override summary = 'Print completions; the shell scripts of svc completion call this.';
  static override examples = examples('-- memory sea');

  /** The scripts read lines, whatever SVC_JSON says. */
  override jsonEnabled(): boolean {
    return false;
  }

  async run() {
    const start = this.argv.indexOf('--') + 1;
    const words = this.argv.slice(start);
    await completeWords(words, { root: this.config.root, context: this.context() });
    return {};
  }
}
