import { Text } from 'ink';
import type { ReactElement } from 'react';
import { fitEnd, spread, textWidth } from '../fit.js';
import { useTheme } from './screen.js';

/** The title of a screen, and at the right facts about it. */
export function Header({
  title,
  facts,
  columns,
}: {
  readonly title: string;
  /** Most important last; the first ones are dropped without room. */
  readonly facts: readonly string[];
  readonly columns: number;
}): ReactElement {
  const { bold } = useTheme();
  const room = columns - Math.min(textWidth(title), LEAST_TITLE) - 2;
  const known = facts.filter((fact) => fact !== '');
  const kept = known.filter((_, at) => textWidth(known.slice(at).join(BETWEEN)) <= room);
  const right = kept.join(BETWEEN);
  const left = fitEnd(title, right === '' ? columns : columns - textWidth(right) - 2);
  return <Text wrap="truncate">{bold(spread(left, right, columns))}</Text>;
}

const BETWEEN = ' · ';
/** A longer title is cut before facts are dropped. */
const LEAST_TITLE = 24;
