module example.com/rke2

go 1.24
