Stop-Service -Name rke2
sc.exe delete rke2
Remove-Item -Path C:\usr\local\bin\rke2.exe
