package git

import "context"

// Checkout makes a repository in the directory to, which does not exist, with a commit of another
// repository checked out. That is a directory or an address. Tags come along.
func Checkout(ctx context.Context, from, to, hash string) error {
	if _, err := run(ctx, "", "clone", "--quiet", "--no-checkout", "--no-hardlinks", "-c", "core.autocrlf=false", "--", from, to); err != nil {
		return err
	}
	_, err := run(ctx, to, "checkout", "--quiet", "--detach", hash)
	return err
}
