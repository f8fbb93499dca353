/** Objects and lists on several lines; everything else as it is. */
export function spacedJson(text: string): string {
  if (!/^[[{]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
