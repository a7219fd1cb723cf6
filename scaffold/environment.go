package scaffold

import (
	"maps"
	"slices"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// globals are the arguments for FROM.
func (p *part) globals() arguments {
	args := maps.Clone(predefined)
	maps.Copy(args, p.from.args)
	maps.Copy(args, p.args)
	return args
}

// environment returns what a stage begins with.
func (p *part) environment(s *stage) arguments {
	env := arguments{}
	if from := p.from.before(s.base, slices.Index(p.from.stages, s)); from != nil && from != s {
		env = p.environment(from)
		for e := range instructionsIn[*instructions.EnvCommand](from) {
			for _, kv := range e.Env {
				env[kv.Key] = p.from.word(kv.Value, env)
			}
		}
	}
	return env
}

// define evaluates ARG with the values of slipway.yaml.
func (p *part) define(c *instructions.ArgCommand, env arguments) {
	for _, a := range c.Args {
		if v, ok := p.args[a.Key]; ok {
			env[a.Key] = v
		} else if v, ok := predefined[a.Key]; ok && a.Value == nil {
			env[a.Key] = v
		} else if a.Value != nil {
			env[a.Key] = p.from.word(*a.Value, env)
		} else if v, ok := p.from.args[a.Key]; ok {
			env[a.Key] = v
		}
	}
}
