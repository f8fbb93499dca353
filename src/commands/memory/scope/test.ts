import { BaseCommand, examples } from '../../../cli/base-command.js';
import { sessionFacts, sessionFlags } from '../../../cli/flags.js';
import { explainScope } from '../../../engine/scope/decide-scope.js';
import type { ScopeTestOutput } from '../../../engine/scope/output-schemas.js';
import { renderScopeTest } from '../../../ui/memory/scope-test.js';

export default class MemoryScopeTest extends BaseCommand {
  static override summary = 'Test whether a conversation can search memory.';
  static override description =
    'Evaluates memory.ext.scope as all tools do: the first matching rule decides, else the default. Searches nothing. The exit code is 1 if access is denied.';
  static override examples = examples(
    '--session-key agent:main:telegram:direct:42',
    '--session-key agent:main:main --channel telegram',
    '--chat-type group --json',
  );
  static override flags = sessionFlags;

  async run(): Promise<ScopeTestOutput> {
    const { flags } = await this.parse(MemoryScopeTest);
    const { resolved } = await this.loadConfig();
    const { ext, citations } = resolved.memory;
    const result = explainScope(ext.scope, citations, sessionFacts(flags));
    this.write(renderScopeTest(result, this.view().style));
    if (!result.allowed) this.setExitCode(1);
    return result;
  }
}
