import type { OverviewNews } from '../../engine/overview/overview-news.js';

/** What the home screen tells the process that looks for it. */
export type LookOrder =
  /** The first. @property configFile the file named by `--config` */
  | { readonly type: 'follow'; readonly configFile: string | undefined }
  /** Look at everything anew, now. */
  | { readonly type: 'again' };

/** What it is told: each part that is known or changed; secrets are masked. */
export type LookNews = Partial<OverviewNews>;
