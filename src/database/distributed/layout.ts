import type { SqlMikroORM } from '@mikro-orm/postgresql';

/** What an entity may say, as static properties, of its table on several nodes. Without a word each node has all of it. */
interface Placed {
  /** The column by which the rows are spread: all with the same value are on one node. */
  spreadBy?: string;
  /** The rows are where statements arrive, and on no other node. */
  isOnCoordinator?: boolean;
}

/** How Citus holds each table. */
export interface Layout {
  /** The columns of those that are spread, by table. */
  spread: ReadonlyMap<string, string>;
  /** Whole on every node: small, or looked for by something else than their user. */
  whole: readonly string[];
  /** Where statements arrive. */
  local: readonly string[];
}

export function layoutOf(orm: SqlMikroORM): Layout {
  const tables = [...orm.getMetadata().getAll().values()].map((entity) => ({
    name: entity.tableName,
    ...placeOf(entity.class as Placed),
  }));
  const isWhole = ({ spreadBy, isOnCoordinator }: Placed) => !spreadBy && !isOnCoordinator;
  return {
    spread: new Map(tables.flatMap(({ name, spreadBy }) => (spreadBy ? [[name, spreadBy] as const] : []))),
    whole: tables.filter(isWhole).map(({ name }) => name),
    local: tables.filter(({ isOnCoordinator }) => isOnCoordinator).map(({ name }) => name),
  };
}

const placeOf = ({ spreadBy, isOnCoordinator }: Placed): Placed => ({ spreadBy, isOnCoordinator });
