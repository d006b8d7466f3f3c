import type { ComponentChild } from 'preact';
import { foldedSections, keepFolded } from '../shell/session.js';
import { t } from '../ui/language.js';
import { type Item, sectionCount } from './items.js';

interface SectionsProps {
  /** What may stand below a heading. */
  items: readonly Item[];
  /** What stands below none, and comes first. */
  loose: Item[];
  names: readonly string[];
  /** What is looked for may be in any. */
  isSearch: boolean;
  list: (items: Item[]) => ComponentChild;
}

/** As names of sections and tags are compared. */
export const isSame = (one: string, other: string | null): boolean =>
  one.toLowerCase() === other?.toLowerCase();

/** Headings that fold. */
export function Sections({ items, loose, names, isSearch, list }: SectionsProps) {
  return (
    <>
      {loose.length > 0 && list(loose)}
      {names.map((name) => {
        const own = items.filter(({ task }) => isSame(name, task.section));
        const { all, done } = sectionCount(own);
        if (own.length === 0) return null;
        return (
          <details
            key={`${name} ${isSearch}`} // a browser folds it without the page: what is drawn anew is as it should be
            class="section"
            open={isSearch || !foldedSections().includes(name)}
            onToggle={({ currentTarget }) => isSearch || keepFolded(name, !currentTarget.open)}
          >
            <summary>
              <span dir="auto">{name}</span>{' '}
              {all > 0 && <span class="about">{t.list.ofSection(done, all)}</span>}
            </summary>
            {list(own)}
          </details>
        );
      })}
    </>
  );
}
