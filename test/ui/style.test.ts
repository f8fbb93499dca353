import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createStyle, drawBar, drawScore, THEMES } from '../../src/ui/style.js';

const test = suite('colours and bars');

/** The usual values of the 16 colours: of xterm, and of VGA. */
const PALETTES: readonly Readonly<Record<string, string>>[] = [
  {
    red: 'cd0000',
    green: '00cd00',
    yellow: 'cdcd00',
    blue: '0000ee',
    magenta: 'cd00cd',
    cyan: '00cdcd',
    redBright: 'ff0000',
    blueBright: '5c5cff',
  },
  {
    red: 'aa0000',
    green: '00aa00',
    yellow: 'aa5500',
    blue: '0000aa',
    magenta: 'aa00aa',
    cyan: '00aaaa',
    redBright: 'ff5555',
    blueBright: '5555ff',
  },
];

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const BACKGROUNDS = { any: ['000000', 'ffffff'], dark: ['000000'], light: ['ffffff'] } as const;

test('the colours of each theme are readable on its backgrounds', () => {
  assert.ok(contrast('cdcd00', 'ffffff') < 3, 'yellow on white is not');
  for (const theme of ['any', 'dark', 'light'] as const) {
    for (const [meaning, name] of Object.entries(THEMES[theme])) {
      for (const background of BACKGROUNDS[theme]) {
        for (const palette of PALETTES) {
          const ratio = contrast(palette[name] ?? '', background);
          assert.ok(ratio >= 3, `${theme} ${meaning}: ${name} on ${background} is ${ratio}`);
        }
      }
    }
  }
});

test('a theme without colours uses bold, dim and reverse only', () => {
  for (const paint of Object.values(createStyle(true, 'none'))) {
    for (const [, code] of paint('x').matchAll(/\[(\d+)m/gu)) {
      assert.ok(['1', '2', '4', '7', '22', '24', '27'].includes(code ?? ''), code);
    }
  }
  for (const paint of Object.values(createStyle(false))) assert.is(paint('x'), 'x');
});

test('bars stay within their columns and are full only at the end', () => {
  assert.is(drawBar(0.999, 4), '███░');
  assert.is(drawBar(1, 4), '████');
  assert.is(drawBar(-1, 4), '░░░░');
  assert.is(drawBar(Number.NaN, 2), '░░');
  assert.is(drawScore(0.62, 10), '▇▇▇▇▇▇');
  assert.is(drawScore(7, 3), '▇▇▇');
});

test.run();
