import type { EntityClass } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Database } from '../../src/database/database.js';
import { UserProgress } from '../../src/features/account/progress.entity.js';
import { User } from '../../src/features/account/user.entity.js';
import { Challenge } from '../../src/features/challenges/challenge.entity.js';
import { ChallengeTemplate } from '../../src/features/challenges/template.entity.js';
import { Task } from '../../src/features/habits/task.entity.js';
import { Completion } from '../../src/features/history/completions/completion.entity.js';

export type Values = Record<string, unknown>;

/** Where the rows of a GraphQL type are. */
const parts: Record<string, { entity: EntityClass<object>; key: string }[]> = {
  User: [
    { entity: User, key: 'id' },
    { entity: UserProgress, key: 'user_id' },
  ],
  Task: [{ entity: Task, key: 'id' }],
  Completion: [{ entity: Completion, key: 'id' }],
  Challenge: [{ entity: Challenge, key: 'id' }],
  ChallengeTemplate: [{ entity: ChallengeTemplate, key: 'id' }],
};

export const storedTypes = Object.keys(parts);

/** Rows as they are, by none of the service's own statements. */
export class Stored {
  constructor(private readonly database: Database) {}

  /** By the names that entities and GraphQL have for columns. */
  async row(type: string, id: unknown): Promise<Values> {
    const values: Values = {};
    for (const { entity, key } of parts[type] ?? []) {
      const { rows } = await sql<Values>`
        select * from ${sql.table(this.tableOf(entity))} where ${sql.ref(key)} = ${id}
      `.execute(this.database.query());
      for (const column of this.columnsOf(entity)) {
        if (!(column.property in values)) values[column.property] = rows[0]?.[column.column];
      }
    }
    return values;
  }

  /** Puts something where nothing is, for what is left out looks like nothing: but for what would be another state, or another input. */
  async fill(userId: string): Promise<void> {
    for (const { entity, key } of Object.values(parts).flat()) {
      const nullable = this.columnsOf(entity).filter(
        ({ isNullable, property }) =>
          isNullable &&
          !['archivedAt', 'suspendedAt', 'amount', 'targetKind', 'targetPeriod'].includes(property) &&
          !(entity === Challenge && ['completedAt', 'linkedTaskIds'].includes(property)), // as its status has it
      );
      if (nullable.length === 0) continue;
      const owner = entity === User ? key : 'user_id';
      const filled = nullable.map(
        ({ column, type }) =>
          sql`${sql.ref(column)} = coalesce(${sql.ref(column)}, ${something(type, column, key)})`,
      );
      const isTheirs = entity === ChallengeTemplate ? sql`true` : sql`${sql.ref(owner)} = ${userId}`;
      await sql`
        update ${sql.table(this.tableOf(entity))} set ${sql.join(filled)} where ${isTheirs}
      `.execute(this.database.query());
    }
  }

  private tableOf(entity: EntityClass<object>): string {
    return this.database.orm.getMetadata().get(entity).tableName;
  }

  private columnsOf(entity: EntityClass<object>) {
    return this.database.orm
      .getMetadata()
      .get(entity)
      .props.filter(({ fieldNames }) => fieldNames?.length === 1)
      .map((property) => ({
        property: property.name,
        column: property.fieldNames[0] ?? '',
        type: property.columnTypes[0] ?? '',
        isNullable: property.nullable === true,
      }));
  }
}

/** Where not every text will do. */
const words: Record<string, string> = {
  time_zone: 'Asia/Kolkata',
  week_starts_on: 'SUNDAY',
  period: 'WEEK',
  language: 'PT_BR',
  colour: 'TEAL',
};

/** A text of its own for each column and row, always the same: Citus takes only what is immutable here. */
function something(type: string, column: string, key: string) {
  if (type.startsWith('timestamp')) return sql`${new Date()}::timestamptz(3)`;
  if (type === 'date') return sql`${new Date().toISOString().slice(0, 10)}::date`;
  if (column in words) return sql.lit(words[column]);
  if (type === 'text[]') return sql`array[md5(${sql.ref(key)}::text)]`;
  if (type === 'text') return sql`md5(${sql.lit(column)} || ${sql.ref(key)}::text)`;
  if (type === 'boolean') return sql`true`;
  return sql`3`;
}
