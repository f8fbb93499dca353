import { BaseCommand, examples } from '../../cli/base-command.js';
import { createJsonSchema, type JsonSchema } from '../../engine/config/authoring.js';
import { renderJson } from '../../ui/safe-text.js';

export default class ConfigSchema extends BaseCommand {
  static override summary = 'Print the JSON Schema of svc.json, for editors.';
  static override description =
    'Save it and set "$schema" in svc.json to its path: editors then complete keys and mark errors. Only "svc config validate" checks rules across keys.';
  static override examples = examples('> svc.schema.json', '--json');

  /** The document is the schema only. */
  protected override readonly addsWarnings = false;

  async run(): Promise<JsonSchema> {
    await this.parse(ConfigSchema);
    const schema = createJsonSchema();
    this.write(renderJson(schema));
    return schema;
  }
}
