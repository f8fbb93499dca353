import { seededRandom } from '../src/engine/eval/random.js';
import { normal } from './eval/directions.js';

/** Shape of a set of unit vectors. */
export interface VectorShape {
  readonly name: string;
  /** Number of cluster centers. */
  readonly clusters: number;
  /** Length of the noise around a center, which has length 1. */
  readonly noise: number;
  /** Length of the part that all vectors share, most of it in four dimensions. */
  readonly common: number;
  /** The variance of dimension i is proportional to i to the negative of this power. */
  readonly decay: number;
}

/**
 * `clustered` is evenly spread. `skewed` resembles embeddings of real models: all have much in common and few
 * dimensions dominate. In `crowded`, thousands are nearly as close as the nearest ten, the worst case for
 * short codes.
 */
export const SHAPES = {
  clustered: { name: 'clustered', clusters: 1000, noise: 0.6, common: 0, decay: 0 },
  skewed: { name: 'skewed', clusters: 300, noise: 0.7, common: 1, decay: 1 },
  crowded: { name: 'crowded', clusters: 40, noise: 0.8, common: 1.2, decay: 0.7 },
} as const satisfies Readonly<Record<string, VectorShape>>;

const POOL = 1 << 20;
const DOMINANT = [7, 99, 300, 511];

/** An endless deterministic stream of vectors of a shape. */
export function* vectorsOf(shape: VectorShape, dimensions: number): Generator<Float32Array> {
  const random = seededRandom(1);
  // Random offsets into a pool of noise are good enough and much faster.
  const pool = Float32Array.from({ length: POOL + dimensions }, () => normal(random));
  const spread = Float64Array.from(
    { length: dimensions },
    (_, at) => (at + 1) ** (-shape.decay / 2),
  );
  const total = Math.sqrt(spread.reduce((sum, value) => sum + value * value, 0));
  const draw = (): Float32Array => {
    const from = Math.floor(random() * POOL);
    const noise = pool.subarray(from, from + dimensions);
    return noise.map((value, at) => (value * (spread[at] ?? 0)) / total);
  };
  const common = new Float32Array(dimensions).map(() => normal(random) * 0.02);
  for (const at of DOMINANT) common[at % dimensions] = 0.5;
  const length = Math.sqrt(common.reduce((sum, value) => sum + value * value, 0));
  const centres = Array.from({ length: shape.clusters }, draw);
  for (;;) {
    const centre = centres[Math.floor(random() * centres.length)];
    const noise = draw();
    yield unit(
      noise.map((value, at) => {
        const shared = (shape.common * (common[at] ?? 0)) / length;
        return shared + (centre?.[at] ?? 0) + shape.noise * value;
      }),
    );
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
