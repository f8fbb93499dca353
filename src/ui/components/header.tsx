import { Text } from 'ink';
import type { ReactElement } from 'react';
import { fitEnd, spread, textWidth } from '../fit.js';
import { useTheme } from './screen.js';

/** The title of a screen, and at the right what its state is in a few words; the right part is dropped first. */
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
  const left = fitEnd(title, columns);
  const room = columns - textWidth(left) - 2;
  const kept = facts.filter((_, at) => textWidth(facts.slice(at).join(BETWEEN)) <= room);
  return <Text wrap="truncate">{bold(spread(left, kept.join(BETWEEN), columns))}</Text>;
}

const BETWEEN = ' · ';
