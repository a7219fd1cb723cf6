package target

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/magefile/mage/mg"
)

// options are the flags of a target as mage parsed them: nil for those that were not given.
type options struct {
	product, registry, version, channel, platforms, images, out *string

	q *bool
}

// args formats the options as flags of the slipway command.
func (o options) args() []string {
	args := given([]flag{
		{"product", o.product},
		{"registry", o.registry},
		{"version", o.version},
		{"channel", o.channel},
		{"platforms", o.platforms},
		{"images", o.images},
		{"out", o.out},
	})
	if o.q != nil && *o.q {
		args = append(args, "--quiet")
	}
	return args
}

// signing formats what signs a release as flags of the slipway command.
func signing(sign, signer, signerKey, builder *string) []string {
	return given([]flag{{"sign", sign}, {"signer", signer}, {"signer-key", signerKey}, {"builder", builder}})
}

// flag is a flag of the slipway command; nil is not given.
type flag struct {
	name  string
	value *string
}

// given returns the flags that were given, as words of a command line.
func given(all []flag) (args []string) {
	for _, f := range all {
		if f.value != nil {
			args = append(args, "--"+f.name+"="+*f.value)
		}
	}
	return args
}

// Run compiles the slipway command if necessary and runs it with these words, as in Run(ctx,
// "release", "-registry=ghcr.io/me"): for magefiles, which the targets' optional flags do not suit.
func Run(ctx context.Context, words ...string) error { return run(ctx, words, options{}) }

// run compiles the slipway command if necessary and runs it.
func run(ctx context.Context, words []string, o options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go watchParent(ctx, cancel)

	binary, err := compile(ctx, o.q != nil && *o.q)
	if err != nil {
		return err
	}
	return execute(ctx, binary, append(words, o.args()...))
}

// execute runs the command to its end. If ctx ends first, it interrupts the command,
// which then cleans up. The command prints its own errors, so the returned error has
// only its name and exit code.
func execute(ctx context.Context, binary string, args []string) error {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// internal/howto reads this variable, so that messages suggest mage targets.
	cmd.Env = append(os.Environ(), "SLIPWAY_RUN_BY=mage")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	err := cmd.Run()
	if state := cmd.ProcessState; state != nil && state.ExitCode() > 0 {
		return mg.Fatalf(state.ExitCode(), "slipway %s did not succeed", args[0])
	} else if state != nil && state.Success() {
		return nil // serve, for example, succeeds when ctx ends
	}
	return fmt.Errorf("running slipway %s: %w", args[0], err)
}

// watchParent calls cancel once the parent process has ended. mage forwards no signal but
// SIGINT, so SIGTERM would end mage and leave the work running.
func watchParent(ctx context.Context, cancel func()) {
	parent := os.Getppid()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				cancel()
				return
			}
		}
	}
}
