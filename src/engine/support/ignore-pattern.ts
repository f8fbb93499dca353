/** How many gitignore patterns one list may have. */
export const MOST_IGNORE_PATTERNS = 1000;
const LONGEST = 256;
/** Matching a path takes time that grows with its depth to the power of this number. */
const MOST_DOUBLE_STARS = 2;

/**
 * What is wrong with a gitignore pattern; undefined if it can be used. The limits keep matching fast, because
 * patterns may be in a folder that someone else has written.
 */
export function ignorePatternFault(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'is empty';
  if (pattern.startsWith('#')) return 'is a comment';
  if (/[\r\n]/u.test(pattern)) return 'has several lines';
  if (pattern.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const depths = pattern.replace(/\/\*\*\/?$/u, '').match(/\*{2,}/gu) ?? [];
  if (depths.length > MOST_DOUBLE_STARS) return `has more than ${MOST_DOUBLE_STARS} "**"`;
  return undefined;
}
