import { basename } from 'node:path';

/** A location in a file, counted from 1. */
export interface EditorPlace {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

type PlaceArguments = (place: Required<EditorPlace>) => readonly string[];

const plusLine: PlaceArguments = ({ file, line }) => [`+${line}`, file];
const plusLineColumn: PlaceArguments = ({ file, line, column }) => [`+${line}:${column}`, file];
const plusLineComma: PlaceArguments = ({ file, line, column }) => [`+${line},${column}`, file];
const vimCursor: PlaceArguments = ({ file, line, column }) => [
  `+call cursor(${line}, ${column})`,
  file,
];
const fileLineColumn: PlaceArguments = ({ file, line, column }) => [`${file}:${line}:${column}`];
const goto: PlaceArguments = ({ file, line, column }) => ['--goto', `${file}:${line}:${column}`];
const lineFlags: PlaceArguments = ({ file, line, column }) => [
  '--line',
  String(line),
  '--column',
  String(column),
  file,
];

/** How each editor is given a location, by the name of its program. */
const EDITORS: Readonly<Record<string, PlaceArguments>> = {
  // Not every vi has functions.
  vi: plusLine,
  ex: plusLine,
  view: plusLine,
  vim: vimCursor,
  gvim: vimCursor,
  mvim: vimCursor,
  nvim: vimCursor,
  nano: plusLineComma,
  pico: plusLine,
  joe: plusLine,
  mcedit: plusLine,
  ne: plusLineComma,
  hx: fileLineColumn,
  helix: fileLineColumn,
  kak: plusLineColumn,
  micro: plusLineColumn,
  emacs: plusLineColumn,
  emacsclient: plusLineColumn,
  code: goto,
  'code-insiders': goto,
  codium: goto,
  vscodium: goto,
  cursor: goto,
  windsurf: goto,
  zed: fileLineColumn,
  zeditor: fileLineColumn,
  subl: fileLineColumn,
  sublime_text: fileLineColumn,
  mate: ({ file, line }) => ['--line', String(line), file],
  kate: lineFlags,
  gedit: plusLineColumn,
  idea: lineFlags,
  webstorm: lineFlags,
  pycharm: lineFlags,
  goland: lineFlags,
  rubymine: lineFlags,
  phpstorm: lineFlags,
  clion: lineFlags,
};

/**
 * A program and its arguments that open a location.
 *
 * @param command `$VISUAL` or `$EDITOR`: a program, possibly quoted, and arguments of the user; not for a shell
 */
export function editorCommand(
  command: string,
  { file, line, column = 1 }: EditorPlace,
): { readonly program: string; readonly args: readonly string[] } {
  const words = Array.from(command.matchAll(/"([^"]*)"|'([^']*)'|[^\s"']+/gu), (word) => {
    return word[1] ?? word[2] ?? word[0];
  });
  const [program = command, ...own] = words;
  const name = basename(program).replace(/\.(?:app|bin|exe|cmd|sh)$/iu, '');
  // A name such as vim.basic or emacs-29 is that of an editor and a variant.
  const known = [name, (name.split(/[.\d]/u)[0] ?? '').replace(/-$/u, '')];
  const found = known.find((one) => Object.hasOwn(EDITORS, one)) ?? '';
  // An unknown editor opens the file, because it might take a line for another file.
  const args = EDITORS[found]?.({ file, line, column }) ?? [file];
  return { program, args: [...own, ...args] };
}
