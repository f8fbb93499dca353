import fc from 'fast-check';

/** Time zones with and without daylight saving, and one whose gap is half an hour. */
export const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;

const field = (from: number, to: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: from, max: to }).map(String),
    fc.integer({ min: 2, max: 7 }).map((step) => `*/${step}`),
  );

/** Five fields that fire within a month. */
export const anyCron: fc.Arbitrary<string> = fc
  .tuple(field(0, 59), field(0, 23), field(1, 28), field(0, 6))
  .map(([minute, hour, day, weekday]) =>
    // With both, a start can be months away.
    day === '*' || weekday === '*'
      ? `${minute} ${hour} ${day} * ${weekday}`
      : `${minute} ${hour} ${day} * *`,
  );
