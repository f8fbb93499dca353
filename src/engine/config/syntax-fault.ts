import type { ConfigFault } from './fault.js';
import { type ParseError, printParseErrorCode } from './jsonc.js';
import type { TextPositions } from './source-text.js';

/** What the parser found, and where to look it up. */
export interface SyntaxFindings {
  readonly text: string;
  readonly positions: TextPositions;
  readonly errors: readonly ParseError[];
  /** Nested beyond what is read at all. */
  readonly tooDeep: boolean;
}

/** Turns the parser's findings into faults, one for each place. */
export function syntaxFaults(findings: SyntaxFindings): readonly ConfigFault[] {
  const { text, positions, errors, tooDeep } = findings;
  if (tooDeep) {
    return [syntaxFault(positions, 0, 'objects and lists are nested too deeply')];
  }
  if (isBlankJson(text)) {
    return [
      syntaxFault(positions, 0, 'the file is empty', 'at least {}; svc config init writes a start'),
    ];
  }
  const faults = new Map<number, ConfigFault>();
  let end = -1;
  for (const { error, offset, length } of errors) {
    const code = printParseErrorCode(error);
    // What is no JSON is also no value; once is enough.
    const isEcho = code === 'ValueExpected' && end >= 0 && text.slice(end, offset).trim() === '';
    end = offset + length;
    if (isEcho || faults.has(offset)) continue;
    const { message, expected } = explain(code);
    faults.set(offset, syntaxFault(positions, offset, message, expected));
  }
  return [...faults.values()];
}

function syntaxFault(
  positions: TextPositions,
  offset: number,
  message: string,
  expected?: string,
): ConfigFault {
  return {
    severity: 'fault',
    code: 'syntax',
    path: '',
    location: positions.at(offset),
    message,
    ...(expected === undefined ? {} : { expected }),
  };
}

/** True when only white space and comments are in a text of JSON. */
export function isBlankJson(text: string): boolean {
  return text.replace(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//gu, '').trim() === '';
}

function explain(code: string): { readonly message: string; readonly expected?: string } {
  switch (code) {
    case 'InvalidSymbol':
      return {
        message: 'this word is not JSON',
        expected: 'text in double quotes, a number, true, false or null',
      };
    case 'InvalidNumberFormat':
      return { message: 'this is not a number', expected: 'digits like 1, 0.5 or 1e3' };
    case 'PropertyNameExpected':
      return { message: 'a key is missing', expected: 'a key in double quotes' };
    case 'ValueExpected':
      return { message: 'a value is missing', expected: 'a value' };
    case 'ColonExpected':
      return { message: 'a colon is missing', expected: '":" between key and value' };
    case 'CommaExpected':
      return { message: 'a comma is missing', expected: '"," between two entries' };
    case 'CloseBraceExpected':
      return { message: 'an object is not closed', expected: '"}"' };
    case 'CloseBracketExpected':
      return { message: 'a list is not closed', expected: '"]"' };
    case 'EndOfFileExpected':
      return { message: 'something follows the end of the configuration', expected: 'one object' };
    case 'UnexpectedEndOfComment':
      return { message: 'a comment is not closed', expected: '"*/"' };
    case 'UnexpectedEndOfString':
      return { message: 'a text is not closed', expected: 'a double quote on the same line' };
    case 'UnexpectedEndOfNumber':
      return { message: 'a number breaks off', expected: 'another digit' };
    case 'InvalidUnicode':
      return { message: 'a \\u escape is incomplete', expected: 'four hexadecimal digits' };
    case 'InvalidEscapeCharacter':
      return { message: 'an escape that JSON does not have', expected: '\\\\ for a backslash' };
    case 'InvalidCharacter':
      return {
        message: 'a control character stands in a text',
        expected: 'an escape like \\n or \\t',
      };
    default:
      return { message: 'this is not JSON' };
  }
}
