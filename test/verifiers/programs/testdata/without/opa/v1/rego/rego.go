// Package rego replaces the Rego language.
package rego

import (
	"context"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Option is a part of a query.
type Option func()

// Query returns an option.
func Query(string) Option { return nil }

// Load returns an option.
func Load([]string, any) Option { return nil }

// Module returns an option.
func Module(string, string) Option { return nil }

// SetRegoVersion returns an option.
func SetRegoVersion(ast.RegoVersion) Option { return nil }

// Rego is a query.
type Rego struct{}

// New returns a query.
func New(...Option) *Rego { return &Rego{} }

// PrepareForEval fails.
func (*Rego) PrepareForEval(context.Context) (PreparedEvalQuery, error) {
	return PreparedEvalQuery{}, errors.New("this program was built without Rego")
}

// PreparedEvalQuery is a query that cannot be made.
type PreparedEvalQuery struct{}

// EvalInput returns an option.
func EvalInput(any) Option { return nil }

// Eval fails.
func (PreparedEvalQuery) Eval(context.Context, ...Option) (ResultSet, error) {
	return nil, errors.New("this program was built without Rego")
}

// ResultSet is empty.
type ResultSet []Result

// Allowed reports false.
func (ResultSet) Allowed() bool { return false }

// Result does not occur.
type Result struct {
	Expressions []any
	Bindings    map[string]any
}
