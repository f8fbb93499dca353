import { BaseCommand } from '../../cli/base-command.js';
export default class MemorySearch extends BaseCommand<{ ok: boolean }> {
  static override summary = 'Answer a question from memory.';
  async run() {
    await this.parse(MemorySearch);
    this.write('hi');
    return { ok: true };
  }
}
