package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/subprocess"
)

// run runs git in the view of the repository of a directory, and returns what it prints, without
// the last line break.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return "", err
	}
	defer v.close()
	return v.run(ctx, args...)
}

// command is output as text, without the last line break.
func command(ctx context.Context, dir string, env []string, input string, args ...string) (string, error) {
	out, err := output(ctx, dir, env, input, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// output runs git in an environment and returns what it prints. An error has git's message on one
// line.
func output(ctx context.Context, dir string, env []string, input string, args ...string) ([]byte, error) {
	cmd := subprocess.Command(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, env
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		message := strings.Join(strings.Fields(string(exit.Stderr)), " ")
		return nil, fmt.Errorf("git %s: %s", verb(args), strings.TrimPrefix(message, "fatal: "))
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", verb(args), err)
	}
	return out, nil
}

// verb returns the command among arguments, behind settings.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// clean returns the environment of git where it reads no settings but those of a repository that is
// made here: none of the user's and the system's, and no variable that names a program, a file or
// another repository. GIT_EXEC_PATH stays, where git itself is.
func clean(add []string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name != "GIT_EXEC_PATH" && strings.HasPrefix(name, "GIT_") ||
			slices.Contains([]string{"SSH_ASKPASS", "PAGER", "EDITOR", "VISUAL", "HOME", "XDG_CONFIG_HOME"}, name)
	})
	env = append(
		env,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		// where git looks for attributes, ignore and .netrc without a setting
		"HOME="+os.DevNull, "XDG_CONFIG_HOME="+os.DevNull,
		"GIT_OPTIONAL_LOCKS=0", // git status does not renew the index
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=:",
	)
	return append(env, add...)
}

// ofOthers are the variables that a hook of another repository exports, as git rev-parse
// --local-env-vars lists them. Those for settings are not among them: users set them.
var ofOthers = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE",
	"GIT_WORK_TREE",
}

// users returns the environment of git where it reads the settings of the user, too.
func users(add []string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(ofOthers, name)
	}), add...)
}
