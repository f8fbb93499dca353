import type { FileSyntax } from '../agent.js';
import type { DocumentEditor } from './document-editor.js';
import { jsonEditor, withoutTrailingCommas } from './json-editor.js';
import { scriptEditor } from './script-editor.js';
import { tomlEditor } from './toml-editor.js';

export const EDITORS: Readonly<Record<FileSyntax, DocumentEditor>> = {
  json: jsonEditor,
  'json-without-trailing-commas': withoutTrailingCommas(jsonEditor),
  script: scriptEditor,
  toml: tomlEditor,
};
