import { BaseCommand } from '../../cli/base-command.js';
import { createJsonSchema, type JsonSchema } from '../../engine/config/authoring.js';
import { renderJson } from '../../ui/config/effective.js';

export default class ConfigSchema extends BaseCommand<JsonSchema> {
  static override summary = 'Print the JSON Schema of svc.json, for editors.';
  static override description =
    'Name the saved file in "$schema" of svc.json and editors complete keys and mark faults. Rules across keys are checked by config validate alone.';
  static override examples = [
    '<%= config.bin %> config schema > svc.schema.json',
    '<%= config.bin %> config schema --json',
  ];

  async run(): Promise<JsonSchema> {
    await this.parse(ConfigSchema);
    const schema = createJsonSchema();
    this.write(renderJson(schema));
    return schema;
  }

  /** The document is the schema and nothing beside it. */
  protected override toSuccessJson(result: unknown): unknown {
    return result;
  }
}
