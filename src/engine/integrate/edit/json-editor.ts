import {
  type ConfigFault,
  editJson,
  endOf,
  isBlankJson,
  jsonInsertions,
  leavesOf,
  type Misfit,
  nodeAt,
  type ParseError,
  parseConfigText,
  parseTree,
  removeValue,
  textPositions,
  treeOf,
} from '../../config/authoring.js';
import { formatPath } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import { type DocumentEditor, HIDDEN } from './document-editor.js';

/** Edits JSON, with comments and trailing commas where a file has them. */
export const jsonEditor: DocumentEditor = {
  read(file, text) {
    if (isBlankJson(text)) return {};
    const { syntaxFaults, value } = parseConfigText(file, text);
    const [fault] = syntaxFaults;
    if (fault !== undefined) throw syntaxError(file, fault);
    return value;
  },
  insert: (file, text, path, value) =>
    jsonInsertions(text, path, value, (found) => wrongTypeError(file, text, found)),
  setKeys(text, path, values) {
    return Object.entries(values).reduce(
      (edited, [key, value]) => editJson(edited, [...path, key], value),
      text,
    );
  },
  remove: removeValue,
  isBare(text, path) {
    const node = nodeAt(text, path);
    if (node === undefined || (node.type !== 'object' && node.type !== 'array')) return false;
    return text.slice(node.offset + 1, endOf(node) - 1).trim() === '';
  },
  locate: (file, text, path) => parseConfigText(file, text).locateKey(path),
  hideOthers(text, shown) {
    const tree = treeOf(text);
    if (tree === undefined) return text;
    let result = '';
    let end = 0;
    for (const { node, path } of leavesOf(tree)) {
      const isShown = shown?.every((segment, at) => path[at] === segment) === true;
      if (isShown || (node.type !== 'string' && node.type !== 'number')) continue;
      result += `${text.slice(end, node.offset)}${JSON.stringify(HIDDEN)}`;
      end = endOf(node);
    }
    return result + text.slice(end);
  },
};

/** For an agent that accepts comments but no trailing commas. */
export function withoutTrailingCommas(editor: DocumentEditor): DocumentEditor {
  return {
    ...editor,
    read(file, text) {
      const data = editor.read(file, text);
      const errors: ParseError[] = [];
      parseTree(text, errors, { allowTrailingComma: false, allowEmptyContent: true });
      const [first] = errors;
      if (first === undefined) return data;
      throw new SvcError('INTEGRATION_FILE_INVALID', `${file} has a trailing comma`, {
        hint: 'remove the comma, which the agent does not accept; nothing was written',
        location: textPositions(file, text)(first.offset),
      });
    },
  };
}

function syntaxError(file: string, fault: ConfigFault): SvcError {
  const expected = fault.expected === undefined ? '' : `expected ${fault.expected}; `;
  return new SvcError('INTEGRATION_FILE_INVALID', `${file} is not valid: ${fault.message}`, {
    hint: `${expected}fix the file by hand; nothing was written`,
    location: fault.location,
  });
}

function wrongTypeError(file: string, text: string, { node, path, kind }: Misfit): SvcError {
  const name = path.length === 0 ? 'the file' : formatPath(path);
  return new SvcError('INTEGRATION_FILE_INVALID', `${name} is not ${kind} in ${file}`, {
    hint: 'fix the file by hand; nothing was written',
    location: textPositions(file, text)(node.offset),
  });
}
