package docs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loop is a shell that reads the names of files from descriptor 3, and runs the commands in each
// as if they were its own. It answers at descriptor 4 when all of a file have succeeded.
const loop = `while read -r -u 3 file; do
. "$file" </dev/null 3<&- 4>&-
echo done >&4
done`

// shell is a shell of a machine that stays from block to block.
type shell struct {
	m     *machine
	cmd   *exec.Cmd
	files *os.File
	done  *bufio.Reader
	ended chan error
	log   string // path of what it has printed
	n     int
}

// shell starts a shell in a directory of the machine's work.
func (m *machine) shell(t *testing.T, name string) *shell {
	t.Helper()
	read, files, err := os.Pipe()
	must(t, err)
	done, write, err := os.Pipe()
	must(t, err)
	s := &shell{
		m: m, files: files, done: bufio.NewReader(done), ended: make(chan error, 1),
		log: filepath.Join(m.dir, name+".log"),
	}
	log, err := os.Create(s.log)
	must(t, err)
	s.cmd = exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", loop)
	s.cmd.Dir, s.cmd.Env = world+"/work", m.env
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.ExtraFiles = log, log, []*os.File{read, write}
	go func() { s.ended <- errors.Join(m.Run(s.cmd), read.Close(), write.Close(), log.Close()) }()
	t.Cleanup(func() { errors.Join(files.Close(), s.close(), done.Close()) }) //nolint:errcheck // it has failed where it had to
	return s
}

// run runs commands and returns what they print, both streams as one.
func (s *shell) run(text string) (string, error) {
	before, err := os.ReadFile(s.log)
	if err != nil {
		return "", err
	}
	s.n++
	file := fmt.Sprintf("block-%d-%s", s.n, filepath.Base(s.log))
	if err := os.WriteFile(filepath.Join(s.m.dir, file), []byte(text), 0o644); err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(s.files, filepath.Join(world, file))
	answer := ""
	if err == nil {
		answer, err = s.done.ReadString('\n')
	}
	after, failed := os.ReadFile(s.log)
	if err != nil || answer != "done\n" {
		err = errors.Join(errors.New("the commands failed"), s.close())
	}
	return strings.TrimPrefix(string(after), string(before)), errors.Join(err, failed)
}

// close ends the shell.
func (s *shell) close() error {
	s.files.Close()
	err := <-s.ended
	s.ended <- err
	return err
}
