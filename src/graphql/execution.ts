import { type ExecutionArgs, type ExecutionResult, execute, type OperationDefinitionNode } from 'graphql';
import { inOperation } from '../telemetry/spans.js';
import type { Context } from './context.js';
import type { OperationCost } from './limits.js';
import type { Selection } from './plan-fields.js';

/** An operation that passed all checks. */
export type Admitted = ExecutionArgs & {
  contextValue: Context;
  operation: OperationDefinitionNode;
  cost: OperationCost;
  /** The names of its root fields. */
  rootFields: readonly string[];
  /** Undefined if only graphql-js can carry the operation out. */
  plan: Selection | undefined;
  /** The values of the variables; undefined if they are not valid, which execution reports. */
  coerced: Record<string, unknown> | undefined;
  /** The quota that a subscription holds until it ends. */
  reservation?: { cost: number; leave: () => void };
};

/** The one executor behind all transports. */
export function carryOut(admitted: Admitted): ExecutionResult | Promise<ExecutionResult> {
  const { plan, coerced, contextValue: context, rootValue } = admitted;
  return inOperation(context.trail, () =>
    plan && coerced
      ? plan.carryOut({ context, variables: coerced, rootValue })
      : (execute(admitted) as ExecutionResult | Promise<ExecutionResult>),
  );
}
