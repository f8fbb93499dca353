/** One metric at several sizes. */
export interface Growth {
  readonly what: string;
  readonly unit: string;
  readonly points: readonly Point[];
}

interface Point {
  /** Multiple of the smallest corpus. */
  readonly times: number;
  readonly value: number;
}

/** Slope of a fitted line on logarithmic scales: 1 is linear, 0 is constant. */
export function exponentOf(points: readonly Point[]): number {
  const xs = points.map(({ times }) => Math.log(times));
  const ys = points.map(({ value }) => Math.log(value));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, at) => sum + (x - meanX) * ((ys[at] ?? 0) - meanY), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
}

const PANEL = { width: 380, height: 250, left: 62, right: 20, top: 44, bottom: 36 };
const COLUMNS = 2;
const MARGIN = 12;
const LEGEND = 34;
/** Ticks of an axis between two powers of ten. */
const STEPS = [1, 2, 5];

/** Two hues that color-blind readers can tell apart, for light and dark color schemes. */
interface Colours {
  readonly paper: string;
  readonly ink: string;
  readonly grid: string;
  readonly soft: string;
  readonly a: string;
  readonly b: string;
}

const LIGHT: Colours = {
  ...{ paper: '#ffffff', ink: '#1f2430', grid: '#d9dde5', soft: '#6b7280' },
  ...{ a: '#0b62a8', b: '#b4530a' },
};
const DARK: Colours = {
  ...{ paper: '#12161f', ink: '#d6dbe5', grid: '#2a3140', soft: '#8b95a7' },
  ...{ a: '#7cc5f5', b: '#f2a65a' },
};

/** Colors are written out, because many SVG viewers do not support variables. */
function styleOf({ paper, ink, grid, soft, a, b }: Colours): string {
  return `text{fill:${ink}}.soft{fill:${soft}}.paper,.dot{fill:${paper}}.grid{stroke:${grid}}.linear{stroke:${soft}}.a{stroke:${a}}.b{stroke:${b}}`;
}

const STYLE = `text{font:12px ui-sans-serif,system-ui,'Segoe UI','DejaVu Sans',sans-serif}.title{font-weight:600;font-size:13px}.linear{stroke-dasharray:4 4;fill:none}.line{fill:none;stroke-width:2}.dot{stroke-width:2}
${styleOf(LIGHT)}
@media (prefers-color-scheme: dark){${styleOf(DARK)}}`;

/** All metrics as small plots on logarithmic scales, with a dashed line for linear growth. */
export function plotOf(growths: readonly Growth[]): string {
  const titles = [...new Set(growths.map(({ what }) => titleOf(what)))];
  const rows = Math.ceil(titles.length / COLUMNS);
  const width = COLUMNS * PANEL.width + 2 * MARGIN;
  const height = rows * PANEL.height + 2 * MARGIN + LEGEND;
  const panels = titles.map((title, at) => {
    const x = MARGIN + (at % COLUMNS) * PANEL.width;
    const y = MARGIN + LEGEND + Math.floor(at / COLUMNS) * PANEL.height;
    const shown = growths.filter(({ what }) => titleOf(what) === title);
    return `<g transform="translate(${x} ${y})">${panel(title, shown)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What 4, 16 and 64 times the notes cost">`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="9"/>`,
    legend(),
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function titleOf(what: string): string {
  return what.split(', ')[0] ?? what;
}

function legend(): string {
  const y = MARGIN + LEGEND / 2;
  const entry = (x: number, className: string, text: string): string =>
    `<path class="line ${className}" d="M${x} ${y}h26"/><text x="${x + 34}" y="${y + 4}">${text}</text>`;
  return [
    entry(PANEL.left, 'a', 'keyword search'),
    entry(PANEL.left + 130, 'b', 'hybrid search'),
    entry(PANEL.left + 300, 'linear', 'as the notes grow'),
  ].join('');
}

function panel(title: string, growths: readonly Growth[]): string {
  const points = growths.flatMap((growth) => growth.points);
  const values = points.map(({ value }) => value);
  const from = floorStep(Math.min(...values));
  const to = ceilStep(Math.max(...values, from * 2));
  const most = Math.max(...points.map(({ times }) => times));
  const inner = {
    width: PANEL.width - PANEL.left - PANEL.right,
    height: PANEL.height - PANEL.top - PANEL.bottom,
  };
  const x = (times: number): number =>
    round(PANEL.left + (Math.log(times) / Math.log(most)) * inner.width);
  const y = (value: number): number =>
    round(PANEL.top + (1 - Math.log(value / from) / Math.log(to / from)) * inner.height);
  const bottom = PANEL.top + inner.height;
  const right = PANEL.left + inner.width;
  const rules = stepsBetween(from, to).map(
    (step) =>
      `<path class="grid" d="M${PANEL.left} ${y(step)}H${right}"/><text class="soft" x="${PANEL.left - 8}" y="${y(step) + 4}" text-anchor="end">${step}</text>`,
  );
  const ticks = [...new Set(points.map(({ times }) => times))].map(
    (times) =>
      `<text class="soft" x="${x(times)}" y="${bottom + 20}" text-anchor="middle">${times} ×</text>`,
  );
  const lines = growths.map((growth, at) => {
    const className = at === 0 ? 'a' : 'b';
    const first = growth.points[0]?.value ?? from;
    const reach = Math.min(most, to / first);
    const path = growth.points.map(({ times, value }) => `${x(times)} ${y(value)}`).join('L');
    const dots = growth.points.map(
      ({ times, value }) =>
        `<circle class="dot ${className}" cx="${x(times)}" cy="${y(value)}" r="3.5"/>`,
    );
    return [
      `<path class="linear" d="M${x(1)} ${y(first)}L${x(reach)} ${y(first * reach)}"/>`,
      `<path class="line ${className}" d="M${path}"/>`,
      ...dots,
    ].join('');
  });
  const unit = growths[0]?.unit ?? '';
  const heading = `<text class="title" x="${PANEL.left}" y="${PANEL.top - 16}">${title}, ${unit}</text>`;
  return [heading, ...rules, ...ticks, ...lines].join('');
}

function stepsBetween(from: number, to: number): readonly number[] {
  const steps: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to) + 1; power++) {
    for (const step of STEPS) steps.push(Number((step * 10 ** power).toPrecision(1)));
  }
  const within = steps.filter((step) => step >= from * 0.999 && step <= to * 1.001);
  // Labels would overlap in a panel of many powers.
  return within.length <= 8 ? within : within.filter((step) => /^0?\.?0*1/.test(String(step)));
}

function floorStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.max(...STEPS.map((step) => step * power).filter((step) => step <= value));
}

function ceilStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.min(...[...STEPS, 10].map((step) => step * power).filter((step) => step >= value));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
